// The OpenAI responses wire format: which fields pass, and which permissions they need.
import { dataEvent, type Format, numberOf, objectOf, usageOf } from './format.ts'
import { list, nullable, object, type PowerFields, type PowerTags, tagged, textOr } from './shape.ts'
import { ask, dataUrl, exactly, flag, free, inline, number, type Shape, text, tokens } from './values.ts'

/** Fields that make the provider act by itself. */
const bodyPowers: PowerFields = {
  previous_response_id: 'stored_responses',
  conversation: 'stored_responses',
  background: 'stored_responses',
  prompt: 'stored_responses',
  metadata: 'stored_responses',
  context_management: 'stored_responses',
  prompt_cache_key: 'prompt_cache',
  prompt_cache_retention: 'prompt_cache',
}

const toolTags: PowerTags = [
  [/^web_search(_preview)?(_\d{4}_\d\d_\d\d)?$/, 'web_search'],
  [/^file_search$/, 'file_search'],
  [/^code_interpreter$/, 'code_execution'],
  [/^computer(_use)?(_preview)?$/, 'computer_use'],
  [/^image_generation$/, 'image_generation'],
  [/^mcp$/, 'mcp'],
  [/^(local_shell|shell|apply_patch)$/, 'shell'],
]

const itemTags: PowerTags = [
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

const partPowers: PowerFields = { file_id: 'files', file_url: 'url_sources' }

/** Values of `include`. */
const includes: PowerTags = [
  [/^web_search_call\./, 'web_search'],
  [/^file_search_call\./, 'file_search'],
  [/^code_interpreter_call\./, 'code_execution'],
  [/^computer_call/, 'computer_use'],
]

/** The schema of responses: every field that a request may have. */
const type = text
const part = (fields: Readonly<Record<string, Shape>>): Shape => object({ type, ...fields }, { powers: partPowers })

const parts = list(
  tagged({
    input_text: part({ text }),
    output_text: part({ text, annotations: free, logprobs: free }),
    refusal: part({ refusal: text }),
    input_image: part({ image_url: nullable(dataUrl), detail: text }),
    input_file: part({ filename: text, file_data: dataUrl }),
    input_audio: part({ input_audio: object({ data: inline, format: text }) }),
  }),
)

const status = { id: nullable(text), status: nullable(text) }
const message = object(
  {
    type: exactly('message'),
    role: exactly('user', 'assistant', 'system', 'developer'),
    content: textOr(parts),
    phase: nullable(text),
    ...status,
  },
  { required: ['role', 'content'] },
)

const piecesOf = (kind: string): Shape => list(tagged({ [kind]: object({ type, text }) }))

const item = tagged(
  {
    message,
    function_call: object({ type, call_id: text, name: text, arguments: text, ...status }),
    function_call_output: object({ type, call_id: text, output: textOr(parts), ...status }),
    custom_tool_call: object({ type, call_id: text, name: text, input: text, ...status }),
    custom_tool_call_output: object({ type, call_id: text, output: textOr(parts), ...status }),
    reasoning: object({
      type,
      summary: piecesOf('summary_text'),
      content: nullable(piecesOf('reasoning_text')),
      encrypted_content: nullable(text),
      ...status,
    }),
  },
  { untagged: message, powers: itemTags },
)

const tool = tagged(
  {
    function: object({ type, name: text, description: nullable(text), parameters: free, strict: nullable(flag) }, { required: ['name'] }),
    custom: object({ type, name: text, description: text, format: free }, { required: ['name'] }),
  },
  { powers: toolTags },
)

const choice: Shape = (value, walk) =>
  typeof value === 'string'
    ? exactly('none', 'auto', 'required')(value, walk)
    : tagged({ function: object({ type, name: text }), custom: object({ type, name: text }) }, { powers: toolTags })(value, walk)

const include: Shape = (value, walk) => {
  const power = typeof value === 'string' ? includes.find(([pattern]) => pattern.test(value))?.[1] : undefined
  if (power === undefined) exactly('reasoning.encrypted_content', 'message.output_text.logprobs')(value, walk)
  else ask(walk, power)
}

const store: Shape = (value, walk) => {
  if (value === true) ask(walk, 'stored_responses')
  else exactly(false, null)(value, walk)
}

const format = tagged({
  text: object({ type }),
  json_object: object({ type }),
  json_schema: object({ type, name: text, description: text, schema: free, strict: nullable(flag) }),
})

const schema = object(
  {
    model: text,
    input: textOr(list(item)),
    instructions: nullable(text),
    max_output_tokens: nullable(tokens),
    max_tool_calls: nullable(number),
    tools: list(tool),
    tool_choice: choice,
    parallel_tool_calls: nullable(flag),
    temperature: nullable(number),
    top_p: nullable(number),
    top_logprobs: nullable(number),
    stream: nullable(flag),
    stream_options: nullable(object({ include_obfuscation: flag })),
    store,
    include: nullable(list(include)),
    reasoning: nullable(object({ effort: nullable(text), summary: nullable(text) })),
    text: object({ format, verbosity: nullable(text) }),
    truncation: exactly('auto', 'disabled', null),
    service_tier: exactly('auto', 'default', null),
    user: text,
    safety_identifier: text,
  },
  { required: ['model', 'input'], powers: bodyPowers },
)

export const responses: Format = {
  name: 'responses',
  shape: schema,
  model: (body) => body['model'],
  streams: (body) => body['stream'] === true,
  maxOutput: (body) => numberOf(body['max_output_tokens']),
  withMaxOutput: (body, most) => ({ ...body, max_output_tokens: most }),
  complete: (body) => (typeof body['store'] === 'boolean' ? body : { ...body, store: false }),
  pieces: ['delta'],
  usageField: 'usage',
  usage: (answer) => {
    const usage = objectOf(answer['usage'] ?? objectOf(answer['response'])['usage'])
    return usageOf(numberOf(usage['input_tokens']), numberOf(usage['output_tokens']))
  },
  failure: (code, message) => dataEvent({ type: 'error', code, message, param: null, sequence_number: 0 }, 'error'),
}
