// Mistral: chat completions. It counts the tokens of every stream unasked, and refuses a request that asks.
import { chat } from '../formats/chat/format.ts'
import type { Format } from '../formats/format.ts'
import { bearer, type Provider } from './provider.ts'

const unasked: Format = { ...chat, complete: ({ stream_options: _, ...body }) => body }

export const mistral: Provider = {
  name: 'mistral',
  origin: 'https://api.mistral.ai',
  paths: [{ at: '/v1/chat/completions', to: '/v1/chat/completions', format: unasked }],
  credentials: bearer,
  models: '/v1/models',
}
