// Gemini: what the provider does by itself, as data.
import type { PowerFields } from '../shape.ts'

export const bodyPowers: PowerFields = { cachedContent: 'prompt_cache' }

export const toolPowers: PowerFields = {
  googleSearch: 'web_search',
  googleSearchRetrieval: 'web_search',
  enterpriseWebSearch: 'web_search',
  urlContext: 'web_fetch',
  codeExecution: 'code_execution',
  googleMaps: 'maps',
  computerUse: 'computer_use',
  fileSearch: 'file_search',
  retrieval: 'file_search',
  mcpServers: 'mcp',
}

export const partPowers: PowerFields = {
  fileData: 'files',
  executableCode: 'code_execution',
  codeExecutionResult: 'code_execution',
}
