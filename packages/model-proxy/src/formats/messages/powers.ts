// Anthropic messages: what the provider does by itself, as data.
import type { PowerFields, PowerTags } from '../shape.ts'

const cached = { cache_control: 'prompt_cache' } as const satisfies PowerFields

export const bodyPowers: PowerFields = { ...cached, mcp_servers: 'mcp', container: 'containers' }
export const blockPowers: PowerFields = { ...cached }
export const toolPowers: PowerFields = { ...cached, allowed_callers: 'code_execution' }

export const toolTags: PowerTags = [
  [/^web_search_\d+$/, 'web_search'],
  [/^web_fetch_\d+$/, 'web_fetch'],
  [/^code_execution_\d+$/, 'code_execution'],
  [/^mcp_toolset$/, 'mcp'],
  [/^computer_\d+$/, 'computer_use'],
  [/^(bash|text_editor)_\d+$/, 'shell'],
  [/^memory_\d+$/, 'files'],
]

export const blockTags: PowerTags = [
  [/^web_search_tool_result$/, 'web_search'],
  [/^web_fetch_tool_result$/, 'web_fetch'],
  [/^(bash_|text_editor_)?code_execution_tool_result$/, 'code_execution'],
  [/^mcp_tool_(use|result)$/, 'mcp'],
  [/^container_upload$/, 'containers'],
  [/^server_tool_use$/, 'code_execution'],
]

export const sourceTags: PowerTags = [
  [/^url$/, 'url_sources'],
  [/^file$/, 'files'],
]
