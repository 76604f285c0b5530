// Which providers of models the unit has a key for, and the operator's own server.
import { exits, type ModelProvider, type ModelProxyBoot } from '@gatehouse/contracts'
import { isLoopback, Refusal } from '@gatehouse/kernel'

type Configured = ModelProxyBoot['providers']

interface Given {
  readonly anthropicKey: string | undefined
  readonly openaiKey: string | undefined
  readonly geminiKey: string | undefined
  readonly openrouterKey: string | undefined
  readonly groqKey: string | undefined
  readonly mistralKey: string | undefined
  readonly modelBaseUrl: string | undefined
  readonly modelKey: string | undefined
}

const refuse = (detail: string, hint: string): Refusal => new Refusal(exits.configuration, { detail, hint })

/** What is sent in a header is one word. Never shows the value. */
const checkKey = (variable: string, key: string): string => {
  if (/^[\u0021-\u007e]{1,1024}$/.test(key)) return key
  throw refuse(
    `${variable}: expected a key of printable characters without blanks, got something else`,
    'copy the key again, without quotes and line breaks',
  )
}

const variables = [
  ['anthropic', 'ANTHROPIC_API_KEY', 'anthropicKey'],
  ['openai', 'OPENAI_API_KEY', 'openaiKey'],
  ['gemini', 'GEMINI_API_KEY', 'geminiKey'],
  ['openrouter', 'OPENROUTER_API_KEY', 'openrouterKey'],
  ['groq', 'GROQ_API_KEY', 'groqKey'],
  ['mistral', 'MISTRAL_API_KEY', 'mistralKey'],
] as const satisfies readonly (readonly [ModelProvider, string, keyof Given])[]

const isBaseUrl = (url: URL): boolean =>
  (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))) &&
  url.username === '' &&
  url.password === '' &&
  url.search === '' &&
  url.hash === '' &&
  /^[\w./~-]*$/.test(url.pathname)

const ownServer = ({ modelBaseUrl, modelKey }: Given): Configured => {
  if (modelBaseUrl === undefined) {
    if (modelKey === undefined) return []
    throw refuse(
      'SERVICE_MODEL_API_KEY: expected SERVICE_MODEL_BASE_URL beside it, got none',
      'name the server that wants the key, or unset it',
    )
  }
  if (!URL.canParse(modelBaseUrl) || !isBaseUrl(new URL(modelBaseUrl)))
    throw refuse(
      'SERVICE_MODEL_BASE_URL: expected https://host/v1, or http://127.0.0.1:port/v1 for a server on this machine, got something else',
      'write the address as the server documents it for clients of OpenAI, without a key, a query or a fragment',
    )
  const key = modelKey === undefined ? null : checkKey('SERVICE_MODEL_API_KEY', modelKey)
  return [{ name: 'compatible', key, baseUrl: modelBaseUrl }]
}

/** `Refusal` 78 names the variable. Empty: the unit has no model proxy. */
export const readModels = (given: Given): Configured => [
  ...variables.flatMap(([name, variable, field]) => {
    const key = given[field]
    return key === undefined ? [] : [{ name, key: checkKey(variable, key) }]
  }),
  ...ownServer(given),
]
