// The OpenAI chat completions wire format: which fields pass, and which permissions they need.
import { type Body, dataEvent, type Format, numberOf, objectOf, usageOf } from './format.ts'
import { list, nullable, object, type PowerFields, type PowerTags, tagged, textOr } from './shape.ts'
import { ask, dataUrl, exactly, flag, free, inline, number, type Shape, text, tokens } from './values.ts'

/** Fields of chat completions, including provider extensions, that make the provider act by itself. */
const bodyPowers: PowerFields = {
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

const partPowers: PowerFields = { cache_control: 'prompt_cache', file_id: 'files' }

const partTags: PowerTags = [
  [/^document_url$/, 'url_sources'],
  [/^video_url$/, 'url_sources'],
  [/^input_file$/, 'files'],
  [/^reference$/, 'file_search'],
]

const toolTags: PowerTags = [
  [/^(openrouter:)?web_search(_preview|_premium)?$/, 'web_search'],
  [/^browser_search$/, 'web_search'],
  [/^(visit_website|web_fetch|openrouter:web_fetch)$/, 'web_fetch'],
  [/^(code_interpreter|code_execution|browser_automation|wolfram_alpha)$/, 'code_execution'],
  [/^(document_library|file_search)$/, 'file_search'],
  [/^image_generation$/, 'image_generation'],
  [/^(mcp|connector)$/, 'mcp'],
]

/** The schema of chat completions as OpenAI defined and others adopted them: every field that a request may have. */
const type = text
const part = (fields: Readonly<Record<string, Shape>>): Shape => object({ type, ...fields }, { powers: partPowers })

const imageAt = object({ url: dataUrl, detail: text })
const image: Shape = (value, walk) => (typeof value === 'string' ? dataUrl : imageAt)(value, walk)

const content = nullable(
  textOr(
    list(
      tagged(
        {
          text: part({ text }),
          refusal: part({ refusal: text }),
          image_url: part({ image_url: image }),
          input_audio: part({ input_audio: object({ data: inline, format: text }) }),
          file: part({ file: object({ filename: text, file_data: dataUrl }, { powers: partPowers }) }),
          thinking: part({ thinking: textOr(list(tagged({ text: part({ text }) }))), signature: text, closed: flag }),
        },
        { powers: partTags },
      ),
    ),
  ),
)

const toolCall = object({
  id: text,
  index: number,
  type: exactly('function'),
  function: object({ name: text, arguments: text }),
  extra_content: free,
})

const message = object(
  {
    role: exactly('system', 'developer', 'user', 'assistant', 'tool'),
    content,
    name: text,
    tool_calls: nullable(list(toolCall)),
    tool_call_id: text,
    refusal: nullable(text),
    reasoning: nullable(text),
    reasoning_content: nullable(text),
    reasoning_details: free,
    prefix: flag,
  },
  { required: ['role'], powers: { cache_control: 'prompt_cache' } },
)

const functionTool = object(
  { type, function: object({ name: text, description: text, parameters: free, strict: nullable(flag) }, { required: ['name'] }) },
  { required: ['function'], powers: { cache_control: 'prompt_cache' } },
)

const choice: Shape = (value, walk) =>
  typeof value === 'string'
    ? exactly('none', 'auto', 'required', 'any')(value, walk)
    : object({ type: exactly('function'), function: object({ name: text }) })(value, walk)

const responseFormat = tagged({
  text: object({ type }),
  json_object: object({ type }),
  json_schema: object({ type, json_schema: object({ name: text, description: text, schema: free, strict: nullable(flag) }) }),
})

/** A stored request is kept by the provider. */
const store: Shape = (value, walk) => {
  if (value === true) ask(walk, 'stored_responses')
  else exactly(false, null)(value, walk)
}

const sampling = {
  temperature: nullable(number),
  top_p: nullable(number),
  top_k: number,
  min_p: number,
  seed: nullable(number),
  random_seed: nullable(number),
  presence_penalty: nullable(number),
  frequency_penalty: nullable(number),
  repetition_penalty: number,
  logit_bias: nullable(free),
  logprobs: nullable(flag),
  top_logprobs: nullable(number),
}

const thinking = {
  reasoning_effort: nullable(text),
  reasoning_format: nullable(text),
  include_reasoning: nullable(flag),
  reasoning: object({ effort: text, max_tokens: number, exclude: flag, enabled: flag }),
  verbosity: nullable(text),
}

const schema = object(
  {
    model: text,
    messages: list(message),
    tools: nullable(list(tagged({ function: functionTool }, { powers: toolTags }))),
    tool_choice: choice,
    parallel_tool_calls: nullable(flag),
    max_tokens: nullable(tokens),
    max_completion_tokens: nullable(tokens),
    stop: nullable(textOr(list(text))),
    stream: nullable(flag),
    stream_options: nullable(object({ include_usage: flag, include_obfuscation: flag })),
    n: exactly(1, null),
    response_format: responseFormat,
    modalities: nullable(list(exactly('text'))),
    service_tier: exactly('auto', 'default', null),
    user: text,
    safety_identifier: text,
    safe_prompt: flag,
    store,
    ...sampling,
    ...thinking,
  },
  { required: ['model', 'messages'], powers: bodyPowers },
)

/** The newer name where a request uses it; other servers know only the older one. */
const maxField = (body: Body): string => (Object.hasOwn(body, 'max_completion_tokens') ? 'max_completion_tokens' : 'max_tokens')

export const chat: Format = {
  name: 'chat',
  shape: schema,
  model: (body) => body['model'],
  streams: (body) => body['stream'] === true,
  maxOutput: (body) => {
    const named = [numberOf(body['max_completion_tokens']), numberOf(body['max_tokens'])].filter((most) => most !== undefined)
    return named.length === 0 ? undefined : Math.max(...named)
  },
  withMaxOutput: (body, most) => ({ ...body, [maxField(body)]: most }),
  complete: (body) => {
    const options = objectOf(body['stream_options'])
    const isComplete = body['stream'] !== true || options['include_usage'] === true
    return isComplete ? body : { ...body, stream_options: { ...options, include_usage: true } }
  },
  pieces: ['content', 'reasoning_content', 'reasoning', 'arguments', 'refusal'],
  usageField: 'usage',
  usage: (answer) => {
    const usage = objectOf(answer['usage'])
    return usageOf(numberOf(usage['prompt_tokens']), numberOf(usage['completion_tokens']))
  },
  failure: (code, message) => dataEvent({ error: { type: code, code, message } }),
}
