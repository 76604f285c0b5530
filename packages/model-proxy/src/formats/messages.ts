// The Anthropic messages wire format: which fields pass, and which permissions they need.
import { dataEvent, type Format, numberOf, objectOf, sum, type Usage, usageOf } from './format.ts'
import { list, nullable, object, type PowerFields, type PowerTags, tagged, textOr } from './shape.ts'
import { exactly, flag, free, inline, number, type Shape, text, tokens } from './values.ts'

/** Fields that make the provider act by itself. */
const cached = { cache_control: 'prompt_cache' } as const satisfies PowerFields

const bodyPowers: PowerFields = { ...cached, mcp_servers: 'mcp', container: 'containers' }
const blockPowers: PowerFields = { ...cached }
const toolPowers: PowerFields = { ...cached, allowed_callers: 'code_execution' }

const toolTags: PowerTags = [
  [/^web_search_\d+$/, 'web_search'],
  [/^web_fetch_\d+$/, 'web_fetch'],
  [/^code_execution_\d+$/, 'code_execution'],
  [/^mcp_toolset$/, 'mcp'],
  [/^computer_\d+$/, 'computer_use'],
  [/^(bash|text_editor)_\d+$/, 'shell'],
  [/^memory_\d+$/, 'files'],
]

const blockTags: PowerTags = [
  [/^web_search_tool_result$/, 'web_search'],
  [/^web_fetch_tool_result$/, 'web_fetch'],
  [/^(bash_|text_editor_)?code_execution_tool_result$/, 'code_execution'],
  [/^mcp_tool_(use|result)$/, 'mcp'],
  [/^container_upload$/, 'containers'],
  [/^server_tool_use$/, 'code_execution'],
]

const sourceTags: PowerTags = [
  [/^url$/, 'url_sources'],
  [/^file$/, 'files'],
]

/** The schema of messages: every field that a request may have. */
const type = text
const block = (fields: Readonly<Record<string, Shape>>): Shape => object({ type, ...fields }, { powers: blockPowers })

const textBlock = block({ text, citations: nullable(free) })
const citations = object({ enabled: flag })

const source: Shape = tagged(
  {
    base64: object({ type, media_type: text, data: inline }),
    text: object({ type, media_type: text, data: text }),
    content: object({ type, content: textOr(list(tagged({ text: textBlock }))) }),
  },
  { powers: sourceTags },
)

const media = {
  text: textBlock,
  image: block({ source }),
  document: block({ source, title: nullable(text), context: nullable(text), citations: nullable(citations) }),
  search_result: block({ source: text, title: text, content: list(tagged({ text: textBlock })), citations: nullable(citations) }),
}

const content = textOr(
  list(
    tagged(
      {
        ...media,
        tool_use: block({ id: text, name: text, input: free, caller: object({ type: exactly('direct') }) }),
        tool_result: block({
          tool_use_id: text,
          is_error: flag,
          content: textOr(list(tagged(media, { powers: blockTags }))),
        }),
        thinking: block({ thinking: text, signature: text }),
        redacted_thinking: block({ data: text }),
      },
      { powers: blockTags },
    ),
  ),
)

const customTool = object(
  {
    type: exactly('custom', null),
    name: text,
    description: text,
    input_schema: free,
    strict: flag,
    eager_input_streaming: nullable(flag),
    input_examples: free,
  },
  { required: ['name', 'input_schema'], powers: toolPowers },
)

const choice = tagged({
  auto: object({ type, disable_parallel_tool_use: flag }),
  any: object({ type, disable_parallel_tool_use: flag }),
  tool: object({ type, name: text, disable_parallel_tool_use: flag }),
  none: object({ type }),
})

const outputFormat = object({ type: exactly('json_schema'), schema: free })

const schema = object(
  {
    model: text,
    messages: list(object({ role: exactly('user', 'assistant', 'system'), content }, { required: ['role', 'content'] })),
    system: textOr(list(tagged({ text: textBlock }))),
    max_tokens: tokens,
    stop_sequences: list(text),
    stream: flag,
    temperature: number,
    top_k: number,
    top_p: number,
    tools: list(tagged({ custom: customTool }, { untagged: customTool, powers: toolTags })),
    tool_choice: choice,
    thinking: tagged({
      enabled: object({ type, budget_tokens: number, display: text }),
      adaptive: object({ type, display: text }),
      disabled: object({ type }),
    }),
    metadata: object({ user_id: nullable(text) }),
    service_tier: exactly('auto', 'standard_only'),
    output_config: object({ effort: nullable(text), format: nullable(outputFormat) }),
    output_format: nullable(outputFormat),
  },
  { required: ['model', 'messages', 'max_tokens'], powers: bodyPowers },
)

/** Anthropic counts tokens written to and read from a cache separately. */
const countOf = (usage: Record<string, unknown>): Usage =>
  usageOf(
    sum(usage['input_tokens'], usage['cache_read_input_tokens'], usage['cache_creation_input_tokens']),
    numberOf(usage['output_tokens']),
  )

export const messages: Format = {
  name: 'messages',
  shape: schema,
  model: (body) => body['model'],
  streams: (body) => body['stream'] === true,
  maxOutput: (body) => numberOf(body['max_tokens']),
  withMaxOutput: (body, most) => ({ ...body, max_tokens: most }),
  complete: (body) => body,
  pieces: ['text', 'partial_json', 'thinking'],
  usageField: 'usage',
  usage: (answer) => ({ ...countOf(objectOf(objectOf(answer['message'])['usage'])), ...countOf(objectOf(answer['usage'])) }),
  failure: (code, message) => dataEvent({ type: 'error', error: { type: code, code, message } }, 'error'),
}
