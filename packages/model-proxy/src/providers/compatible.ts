// Any server that speaks one of the formats that others follow: Ollama, vLLM, llama.cpp, a gateway of one's own.
import { chat } from '../formats/chat/format.ts'
import { messages } from '../formats/messages/format.ts'
import { responses } from '../formats/responses/format.ts'
import { bearer, type Provider } from './provider.ts'

/** @param baseUrl as such servers document it, with the `/v1` of theirs; checked before */
export const compatible = (baseUrl: string): Provider => {
  const { origin, pathname } = new URL(baseUrl)
  const base = pathname.replace(/\/+$/, '')
  return {
    name: 'compatible',
    origin,
    paths: [
      { at: '/v1/chat/completions', to: `${base}/chat/completions`, format: chat },
      { at: '/v1/responses', to: `${base}/responses`, format: responses },
      { at: '/v1/messages', to: `${base}/messages`, format: messages, queries: ['?beta=true'] },
    ],
    credentials: (key, spoken) =>
      spoken === 'messages' ? { ...bearer(key), 'x-api-key': key, 'anthropic-version': '2023-06-01' } : bearer(key),
    models: `${base}/models`,
  }
}
