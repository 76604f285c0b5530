// OpenRouter: chat completions.
import { chat } from '../formats/chat/format.ts'
import { bearer, type Provider } from './provider.ts'

export const openrouter: Provider = {
  name: 'openrouter',
  origin: 'https://openrouter.ai',
  paths: [{ at: '/v1/chat/completions', to: '/api/v1/chat/completions', format: chat }],
  credentials: bearer,
  models: '/api/v1/key',
}
