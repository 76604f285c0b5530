// Anthropic messages: every field that a request may have.
import { exactly, flag, free, inline, list, nullable, number, object, type Shape, tagged, text, textOr, tokens } from '../shape.ts'
import { blockPowers, blockTags, bodyPowers, sourceTags, toolPowers, toolTags } from './powers.ts'

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

export const schema = object(
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
