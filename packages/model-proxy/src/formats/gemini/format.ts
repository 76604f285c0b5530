// Gemini generateContent as a wire format. Its path names the model, and whether the answer is a stream.
import { dataEvent, type Format, numberOf, objectOf, sum, usageOf } from '../format.ts'
import { schema } from './schema.ts'

export const gemini: Format = {
  name: 'gemini',
  shape: schema,
  model: () => undefined,
  streams: () => false,
  maxOutput: (body) => numberOf(objectOf(body['generationConfig'])['maxOutputTokens']),
  withMaxOutput: (body, most) => ({ ...body, generationConfig: { ...objectOf(body['generationConfig']), maxOutputTokens: most } }),
  complete: (body) => body,
  pieces: ['text'],
  usageField: 'usageMetadata',
  usage: (answer) => {
    const usage = objectOf(answer['usageMetadata'])
    return usageOf(
      sum(usage['promptTokenCount'], usage['toolUsePromptTokenCount']),
      sum(usage['candidatesTokenCount'], usage['thoughtsTokenCount']),
    )
  },
  failure: (code, message) => dataEvent({ error: { code: 502, status: code, message } }),
}
