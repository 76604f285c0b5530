// Chat completions as OpenAI defined them and others followed: every field that a request may have.
import {
  ask,
  dataUrl,
  exactly,
  flag,
  free,
  inline,
  list,
  nullable,
  number,
  object,
  type Shape,
  tagged,
  text,
  textOr,
  tokens,
} from '../shape.ts'
import { bodyPowers, partPowers, partTags, toolTags } from './powers.ts'

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

/** What is stored is kept at the provider. */
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

export const schema = object(
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
