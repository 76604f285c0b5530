// Opens the group's model in the wire format of its provider. The host adds the key.
import { createAnthropic } from '@ai-sdk/anthropic'
import { createGoogle } from '@ai-sdk/google'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type { LanguageModel, streamText } from 'ai'

export interface ModelChoice {
  readonly provider: string
  readonly id: string
}

export interface OpenModel {
  readonly model: LanguageModel
  readonly options: NonNullable<Parameters<typeof streamText>[0]['providerOptions']>
  /** Assumed context window in tokens. */
  readonly window: number
  readonly maxOutput: number
  /** Whether tool results may contain images. */
  readonly images: boolean
  /** Maximum characters of a tool description. */
  readonly description: number
}

/** A placeholder that the clients require. The host removes it. */
const apiKey = 'on-the-host'

/** The first match counts. An unknown model gets a small window: too small loses old messages, too large fails every request. */
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

const getWindow = ({ provider, id }: ModelChoice): number => {
  if (provider === 'compatible') return smallWindow
  return windows.find(([name]) => name.test(id.toLowerCase()))?.[1] ?? smallWindow
}

const sizes = (choice: ModelChoice): Pick<OpenModel, 'window' | 'maxOutput' | 'description'> => {
  const window = getWindow(choice)
  return { window, maxOutput: window >= 128_000 ? 16_000 : 4_000, description: choice.provider === 'openai' ? 1024 : 4096 }
}

export const openModel = (choice: ModelChoice, fetch: typeof globalThis.fetch): OpenModel => {
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
      // Nothing is stored at the provider, so encrypted reasoning is part of the dialogue.
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
