// The providers of this unit: those that it has a key for, and the operator's own server.
import type { ModelProxyBoot } from '@gatehouse/contracts'
import { anthropic } from './anthropic.ts'
import { compatible } from './compatible.ts'
import { gemini } from './gemini.ts'
import { groq } from './groq.ts'
import { mistral } from './mistral.ts'
import { openai } from './openai.ts'
import { openrouter } from './openrouter.ts'
import type { Provider } from './provider.ts'

export type ConfiguredProvider = ModelProxyBoot['providers'][number]

/** A provider with the key that proves it; null for a server that wants none. */
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
