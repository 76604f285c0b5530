// Gemini: its own format, and chat completions.
import { chat } from '../formats/chat/format.ts'
import { gemini as format } from '../formats/gemini/format.ts'
import { bearer, type Provider } from './provider.ts'

const base = '/v1beta/models/{model}'

export const gemini: Provider = {
  name: 'gemini',
  origin: 'https://generativelanguage.googleapis.com',
  paths: [
    { at: `${base}:generateContent`, to: `${base}:generateContent`, format, streams: false },
    { at: `${base}:streamGenerateContent?alt=sse`, to: `${base}:streamGenerateContent?alt=sse`, format, streams: true },
    { at: '/v1/chat/completions', to: '/v1beta/openai/chat/completions', format: chat },
  ],
  credentials: (key, spoken) => (spoken === 'gemini' ? { 'x-goog-api-key': key } : bearer(key)),
  models: '/v1beta/openai/models',
}
