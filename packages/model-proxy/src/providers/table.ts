// Model providers: the paths and headers of each, those that this unit has a key for, and the route of a request.
import type { ModelProxyBoot } from '@gatehouse/contracts'
import { chat } from '../formats/chat.ts'
import type { Format } from '../formats/format.ts'
import { gemini as format } from '../formats/gemini.ts'
import { messages } from '../formats/messages.ts'
import { responses } from '../formats/responses.ts'
import { bearer, type Path, type Provider } from './provider.ts'

/** Anthropic: messages. */
const anthropic: Provider = {
  name: 'anthropic',
  origin: 'https://api.anthropic.com',
  paths: [{ at: '/v1/messages', to: '/v1/messages', format: messages, queries: ['?beta=true'] }],
  credentials: (key) => ({ 'x-api-key': key, 'anthropic-version': '2023-06-01' }),
  models: '/v1/models',
}

/** @param baseUrl as such servers document it, including `/v1`; already validated */
const compatible = (baseUrl: string): Provider => {
  const { origin, pathname } = new URL(baseUrl)
  const base = pathname.replace(/\/+$/, '')
  return {
    name: 'compatible',
    origin,
    paths: [
      { at: '/v1/chat/completions', to: `${base}/chat/completions`, format: chat },
      { at: '/v1/responses', to: `${base}/responses`, format: responses },
      { at: '/v1/messages', to: `${base}/messages`, format: messages, queries: ['?beta=true'] },
    ],
    credentials: (key, spoken) =>
      spoken === 'messages' ? { ...bearer(key), 'x-api-key': key, 'anthropic-version': '2023-06-01' } : bearer(key),
    models: `${base}/models`,
  }
}

/** Gemini: its own format, and chat completions. */
const base = '/v1beta/models/{model}'

const gemini: Provider = {
  name: 'gemini',
  origin: 'https://generativelanguage.googleapis.com',
  paths: [
    { at: `${base}:generateContent`, to: `${base}:generateContent`, format, streams: false },
    { at: `${base}:streamGenerateContent?alt=sse`, to: `${base}:streamGenerateContent?alt=sse`, format, streams: true },
    { at: '/v1/chat/completions', to: '/v1beta/openai/chat/completions', format: chat },
  ],
  credentials: (key, spoken) => (spoken === 'gemini' ? { 'x-goog-api-key': key } : bearer(key)),
  models: '/v1beta/openai/models',
}

/** Groq: chat completions. */
const groq: Provider = {
  name: 'groq',
  origin: 'https://api.groq.com',
  paths: [{ at: '/v1/chat/completions', to: '/openai/v1/chat/completions', format: chat }],
  credentials: bearer,
  models: '/openai/v1/models',
}

/** Mistral: chat completions. It reports usage in every stream and refuses a request for it. */
const unasked: Format = { ...chat, complete: ({ stream_options: _, ...body }) => body }

const mistral: Provider = {
  name: 'mistral',
  origin: 'https://api.mistral.ai',
  paths: [{ at: '/v1/chat/completions', to: '/v1/chat/completions', format: unasked }],
  credentials: bearer,
  models: '/v1/models',
}

/** OpenAI: chat completions and responses. */
const openai: Provider = {
  name: 'openai',
  origin: 'https://api.openai.com',
  paths: [
    { at: '/v1/chat/completions', to: '/v1/chat/completions', format: chat },
    { at: '/v1/responses', to: '/v1/responses', format: responses },
  ],
  credentials: bearer,
  models: '/v1/models',
}

/** OpenRouter: chat completions. */
const openrouter: Provider = {
  name: 'openrouter',
  origin: 'https://openrouter.ai',
  paths: [{ at: '/v1/chat/completions', to: '/api/v1/chat/completions', format: chat }],
  credentials: bearer,
  models: '/api/v1/key',
}

export type ConfiguredProvider = ModelProxyBoot['providers'][number]

/** A provider with its key; null for a server without authentication. */
export interface Keyed {
  readonly provider: Provider
  readonly key: string | null
}

export type ProviderTable = ReadonlyMap<string, Keyed>

const fixed = { anthropic, openai, gemini, openrouter, groq, mistral } as const

const find = ({ name, baseUrl }: ConfiguredProvider): Provider => {
  if (name !== 'compatible') return fixed[name]
  if (baseUrl === undefined) throw new TypeError('expected the address of the compatible server')
  return compatible(baseUrl)
}

export const createProviders = (configured: readonly ConfiguredProvider[]): ProviderTable =>
  new Map(configured.map((each) => [each.name, { provider: find(each), key: each.key }]))

/** From the target of a request to a provider and a path of it. The target is compared as it was sent: nothing in it is decoded,
 * so that there is one spelling of each path and no way out of it. */
export interface Route {
  readonly keyed: Keyed
  readonly path: Path
  /** The request target at the provider. */
  readonly target: string
  /** The model that the path names. */
  readonly model: string | undefined
}

const modelPattern = /^[A-Za-z0-9][A-Za-z0-9._@-]{0,127}$/
const slot = '{model}'

const match = (path: Path, rest: string): Pick<Route, 'target' | 'model'> | undefined => {
  const [head, tail] = path.at.split(slot)
  if (head === undefined) return undefined
  if (tail === undefined) {
    const query = path.queries?.find((each) => rest === `${path.at}${each}`) ?? ''
    return rest === `${path.at}${query}` ? { target: `${path.to}${query}`, model: undefined } : undefined
  }
  if (!rest.startsWith(head) || !rest.endsWith(tail)) return undefined
  const model = rest.slice(head.length, rest.length - tail.length)
  return modelPattern.test(model) ? { target: path.to.replace(slot, () => model), model } : undefined
}

/** Undefined for a target that is not an inference path of a configured provider. */
export const findRoute = (providers: ProviderTable, target: string): Route | undefined => {
  const [, name = '', rest = ''] = /^\/([a-z]+)(\/.*)$/.exec(target) ?? []
  const keyed = providers.get(name)
  for (const path of keyed?.provider.paths ?? []) {
    const found = match(path, rest)
    if (found !== undefined && keyed !== undefined) return { keyed, path, ...found }
  }
  return undefined
}
