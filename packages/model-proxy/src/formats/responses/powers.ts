// OpenAI responses: what the provider does by itself, as data.
import type { PowerFields, PowerTags } from '../shape.ts'

export const bodyPowers: PowerFields = {
  previous_response_id: 'stored_responses',
  conversation: 'stored_responses',
  background: 'stored_responses',
  prompt: 'stored_responses',
  metadata: 'stored_responses',
  context_management: 'stored_responses',
  prompt_cache_key: 'prompt_cache',
  prompt_cache_retention: 'prompt_cache',
}

export const toolTags: PowerTags = [
  [/^web_search(_preview)?(_\d{4}_\d\d_\d\d)?$/, 'web_search'],
  [/^file_search$/, 'file_search'],
  [/^code_interpreter$/, 'code_execution'],
  [/^computer(_use)?(_preview)?$/, 'computer_use'],
  [/^image_generation$/, 'image_generation'],
  [/^mcp$/, 'mcp'],
  [/^(local_shell|shell|apply_patch)$/, 'shell'],
]

export const itemTags: PowerTags = [
  [/^item_reference$/, 'stored_responses'],
  [/^compaction$/, 'stored_responses'],
  [/^web_search_call$/, 'web_search'],
  [/^file_search_call$/, 'file_search'],
  [/^code_interpreter_call$/, 'code_execution'],
  [/^computer_call(_output)?$/, 'computer_use'],
  [/^image_generation_call$/, 'image_generation'],
  [/^mcp_/, 'mcp'],
  [/^(local_shell|shell|apply_patch)_call(_output)?$/, 'shell'],
]

export const partPowers: PowerFields = { file_id: 'files', file_url: 'url_sources' }

/** Values of `include`. */
export const includes: PowerTags = [
  [/^web_search_call\./, 'web_search'],
  [/^file_search_call\./, 'file_search'],
  [/^code_interpreter_call\./, 'code_execution'],
  [/^computer_call/, 'computer_use'],
]
