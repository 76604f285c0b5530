// Anthropic messages as a wire format.
import { dataEvent, type Format, numberOf, objectOf, sum, type Usage, usageOf } from '../format.ts'
import { schema } from './schema.ts'

/** Anthropic counts apart what a cache gave and took. */
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
