// Chat completions, with what providers added to them: what the provider does by itself, as data.
import type { PowerFields, PowerTags } from '../shape.ts'

export const bodyPowers: PowerFields = {
  web_search_options: 'web_search',
  search_settings: 'web_search',
  compound_custom: 'code_execution',
  citation_options: 'web_search',
  plugins: 'plugins',
  metadata: 'stored_responses',
  prompt_cache_key: 'prompt_cache',
  prompt_cache_retention: 'prompt_cache',
  cache_control: 'prompt_cache',
  documents: 'file_search',
}

export const partPowers: PowerFields = { cache_control: 'prompt_cache', file_id: 'files' }

export const partTags: PowerTags = [
  [/^document_url$/, 'url_sources'],
  [/^video_url$/, 'url_sources'],
  [/^input_file$/, 'files'],
  [/^reference$/, 'file_search'],
]

export const toolTags: PowerTags = [
  [/^(openrouter:)?web_search(_preview|_premium)?$/, 'web_search'],
  [/^browser_search$/, 'web_search'],
  [/^(visit_website|web_fetch|openrouter:web_fetch)$/, 'web_fetch'],
  [/^(code_interpreter|code_execution|browser_automation|wolfram_alpha)$/, 'code_execution'],
  [/^(document_library|file_search)$/, 'file_search'],
  [/^image_generation$/, 'image_generation'],
  [/^(mcp|connector)$/, 'mcp'],
]
