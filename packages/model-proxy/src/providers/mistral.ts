// Mistral: chat completions.
import { chat } from '../formats/chat/format.ts'
import { bearer, type Provider } from './provider.ts'

export const mistral: Provider = {
  name: 'mistral',
  origin: 'https://api.mistral.ai',
  paths: [{ at: '/v1/chat/completions', to: '/v1/chat/completions', format: chat }],
  credentials: bearer,
  models: '/v1/models',
}
