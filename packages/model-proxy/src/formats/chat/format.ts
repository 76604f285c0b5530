// Chat completions as a wire format. The last event counts the tokens because we ask for it.
import { type Body, dataEvent, type Format, numberOf, objectOf, usageOf } from '../format.ts'
import { schema } from './schema.ts'

/** The newer name where a request uses it; servers of others know the older one. */
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
