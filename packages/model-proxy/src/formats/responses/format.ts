// OpenAI responses as a wire format. Unless it is asked for, nothing is kept at the provider.
import { dataEvent, type Format, numberOf, objectOf, usageOf } from '../format.ts'
import { schema } from './schema.ts'

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
