// Anthropic: messages.
import { messages } from '../formats/messages/format.ts'
import type { Provider } from './provider.ts'

export const anthropic: Provider = {
  name: 'anthropic',
  origin: 'https://api.anthropic.com',
  paths: [{ at: '/v1/messages', to: '/v1/messages', format: messages, queries: ['?beta=true'] }],
  credentials: (key) => ({ 'x-api-key': key, 'anthropic-version': '2023-06-01' }),
  models: '/v1/models',
}
