// OpenAI: chat completions and responses.
import { chat } from '../formats/chat/format.ts'
import { responses } from '../formats/responses/format.ts'
import { bearer, type Provider } from './provider.ts'

export const openai: Provider = {
  name: 'openai',
  origin: 'https://api.openai.com',
  paths: [
    { at: '/v1/chat/completions', to: '/v1/chat/completions', format: chat },
    { at: '/v1/responses', to: '/v1/responses', format: responses },
  ],
  credentials: bearer,
  models: '/v1/models',
}
