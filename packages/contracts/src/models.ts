// Providers of models, and what a provider may do by itself: the names that permissions, records and errors share.
import * as v from 'valibot'

export const modelProviders = ['anthropic', 'openai', 'gemini', 'openrouter', 'groq', 'mistral', 'compatible'] as const
export const ModelProvider = v.picklist(modelProviders)
export type ModelProvider = v.InferOutput<typeof ModelProvider>

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
