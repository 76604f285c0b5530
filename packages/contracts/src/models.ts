// Providers of models, and what a provider may do by itself: the names that permissions, records and errors share.
import * as v from 'valibot'

/** Each provider with the variable that holds its key; null: the operator names a server of their own. */
export const providerKeys = {
  anthropic: 'ANTHROPIC_API_KEY',
  openai: 'OPENAI_API_KEY',
  gemini: 'GEMINI_API_KEY',
  openrouter: 'OPENROUTER_API_KEY',
  groq: 'GROQ_API_KEY',
  mistral: 'MISTRAL_API_KEY',
  compatible: null,
} as const satisfies Readonly<Record<string, string | null>>

export type ModelProvider = keyof typeof providerKeys

const isProvider = (name: string): name is ModelProvider => Object.hasOwn(providerKeys, name)

/** In the order of the table. */
export const modelProviders: readonly ModelProvider[] = /* @__PURE__ */ Object.keys(providerKeys).filter(isProvider)
export const ModelProvider = v.picklist(modelProviders)

/** What happens at the provider, out of the gate's sight, when a request asks for it. Each needs an approved change. */
export const providerPowers = {
  web_search: 'searches the web',
  web_fetch: 'fetches pages that the model names',
  url_sources: 'fetches images and documents from URLs in the request',
  code_execution: 'runs code at the provider',
  containers: 'keeps a container at the provider',
  mcp: 'connects to MCP servers that no grant names',
  files: 'reads files that are stored at the provider',
  file_search: 'searches documents that are stored at the provider',
  image_generation: 'makes images',
  computer_use: 'drives a computer',
  shell: 'runs shell commands and patches',
  maps: 'asks a service of maps',
  plugins: 'runs plugins of the provider',
  prompt_cache: 'keeps parts of requests at the provider to use them again',
  stored_responses: 'keeps requests and answers at the provider',
} as const
export type ProviderPower = keyof typeof providerPowers
