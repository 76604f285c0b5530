// Model providers and provider tools: the names that permissions, records and errors share.
import * as v from 'valibot'

/** Each provider with the variable of its key; null if the operator configures a server. */
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

/** Tools that run at the provider, where the unit cannot control them. Each needs an approved change. */
export const providerPowers = {
  web_search: 'searches the web',
  web_fetch: 'fetches pages that the model chooses',
  url_sources: 'fetches images and documents from URLs in the request',
  code_execution: 'runs code at the provider',
  containers: 'keeps a container at the provider',
  mcp: 'connects to MCP servers without a grant',
  files: 'reads files that are stored at the provider',
  file_search: 'searches documents that are stored at the provider',
  image_generation: 'generates images',
  computer_use: 'controls a computer',
  shell: 'runs shell commands and patches',
  maps: 'queries a map service',
  plugins: 'runs plugins of the provider',
  prompt_cache: 'caches parts of requests at the provider',
  stored_responses: 'stores requests and responses at the provider',
} as const
export type ProviderPower = keyof typeof providerPowers
