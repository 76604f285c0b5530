// The model of the group in its provider's wire format. It holds no key: the host adds it.
import { createAnthropic } from '@ai-sdk/anthropic'
import { createGoogle } from '@ai-sdk/google'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type { LanguageModel, streamText } from 'ai'

export interface ModelChoice {
  readonly provider: string
  readonly id: string
}

export interface Spoken {
  readonly model: LanguageModel
  readonly options: NonNullable<Parameters<typeof streamText>[0]['providerOptions']>
  /** Tokens that fit, by what is known of it. */
  readonly window: number
  readonly maxOutput: number
  /** Whether a tool can answer with an image. */
  readonly images: boolean
  /** Characters of a description of a tool. */
  readonly description: number
}

/** The clients want one; the host takes it off. */
const apiKey = 'on-the-host'

/** The first that fits. A model that nobody knows is taken for a small one: too small a window loses old words, too large a one every answer. */
const windows: readonly (readonly [RegExp, number])[] = [
  [/claude/, 200_000],
  [/gemini/, 1_000_000],
  [/gpt-4\.1/, 1_000_000],
  [/gpt-5|codex/, 270_000],
  [/^o[134]/, 200_000],
  [/gpt-4|gpt-oss|llama-?[34]|mistral|ministral|magistral|codestral|devstral|qwen|deepseek|kimi|glm|grok|command/, 128_000],
  [/gpt-3\.5/, 16_000],
]
const smallWindow = 32_000

const windowOf = ({ provider, id }: ModelChoice): number => {
  if (provider === 'compatible') return smallWindow
  return windows.find(([name]) => name.test(id.toLowerCase()))?.[1] ?? smallWindow
}

const sizes = (choice: ModelChoice): Pick<Spoken, 'window' | 'maxOutput' | 'description'> => {
  const window = windowOf(choice)
  return { window, maxOutput: window >= 128_000 ? 16_000 : 4_000, description: choice.provider === 'openai' ? 1024 : 4096 }
}

export const openModel = (choice: ModelChoice, fetch: typeof globalThis.fetch): Spoken => {
  const { provider, id } = choice
  const baseURL = `http://model/${provider}/v1`
  switch (provider) {
    case 'anthropic':
      return {
        ...sizes(choice),
        model: createAnthropic({ baseURL, apiKey, fetch })(id),
        options: { anthropic: { toolStreaming: false } },
        images: true,
      }
    case 'openai':
      // Nothing is stored at the provider, so thoughts come back sealed and travel with the dialogue.
      return {
        ...sizes(choice),
        model: createOpenAI({ baseURL, apiKey, fetch }).responses(id),
        options: { openai: { store: false } },
        images: true,
      }
    case 'gemini':
      return {
        ...sizes(choice),
        model: createGoogle({ baseURL: `http://model/${provider}/v1beta`, apiKey, fetch })(id),
        options: {},
        images: true,
      }
    default:
      return {
        ...sizes(choice),
        model: createOpenAICompatible({ name: provider, baseURL, fetch, includeUsage: provider !== 'mistral' }).chatModel(id),
        options: {},
        images: false,
      }
  }
}
