// Groq: chat completions.
import { chat } from '../formats/chat/format.ts'
import { bearer, type Provider } from './provider.ts'

export const groq: Provider = {
  name: 'groq',
  origin: 'https://api.groq.com',
  paths: [{ at: '/v1/chat/completions', to: '/openai/v1/chat/completions', format: chat }],
  credentials: bearer,
  models: '/openai/v1/models',
}
