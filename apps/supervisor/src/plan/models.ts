// Settings of models: which providers the unit has a key for, and the operator's own server.
import { exits, type ModelProvider, type ModelProxyBoot, modelProviders, providerKeys } from '@gatehouse/contracts'
import { isLoopback, readSettings, Refusal, type Settings } from '@gatehouse/kernel'
import type { DocumentedSetting, DocumentedSettings } from './settings/parse.ts'

export const modelSettings = {
  modelBaseUrl: {
    group: 'Models',
    type: 'string',
    env: 'SERVICE_MODEL_BASE_URL',
    help: "a server with OpenAI's API, such as http://127.0.0.1:11434/v1",
  },
  modelKey: { group: 'Models', type: 'string', env: 'SERVICE_MODEL_API_KEY', secret: true, help: 'key of that server, if it needs one' },
} as const satisfies DocumentedSettings

const keyRow = (provider: ModelProvider, variable: string) =>
  ({
    group: 'Models',
    type: 'string',
    env: variable,
    secret: true,
    help: `key of the provider ${provider}; agents never see it`,
  }) as const satisfies DocumentedSetting

const keyRows = modelProviders.flatMap((name) => {
  const variable = providerKeys[name]
  return variable === null ? [] : [{ name, row: keyRow(name, variable) }]
})

export const providerSettings: readonly DocumentedSetting[] = keyRows.map(({ row }) => row)

type Env = Readonly<Record<string, string | undefined>>
type Configured = ModelProxyBoot['providers']
type OwnServer = Pick<Settings<typeof modelSettings>['values'], 'modelBaseUrl' | 'modelKey'>

const refuse = (detail: string, hint: string): Refusal => new Refusal(exits.configuration, { detail, hint })

/** What is sent in a header is one word. Never shows the value. */
const checkKey = (variable: string, key: string): string => {
  if (/^[\u0021-\u007e]{1,1024}$/.test(key)) return key
  throw refuse(
    `${variable}: expected a key of printable characters without blanks, got something else`,
    'copy the key again, without quotes and line breaks',
  )
}

const isBaseUrl = (url: URL): boolean =>
  (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))) &&
  url.username === '' &&
  url.password === '' &&
  url.search === '' &&
  url.hash === '' &&
  /^[\w./~-]*$/.test(url.pathname)

const readOwnServer = ({ modelBaseUrl, modelKey }: OwnServer): Configured => {
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

export interface ReadModels {
  /** Empty: the unit has no model proxy. */
  readonly models: Configured
  readonly warnings: readonly string[]
}

/** `Refusal` 78 names the variable. */
export const readModels = (own: OwnServer, env: Env): ReadModels => {
  const read = keyRows.map(({ name, row }) => ({ name, row, settings: readSettings({ key: row }, { argv: [], env }) }))
  const keyed = read.flatMap(({ name, row, settings: { values } }) =>
    values.key === undefined ? [] : [{ name, key: checkKey(row.env, values.key) }],
  )
  return { models: [...keyed, ...readOwnServer(own)], warnings: read.flatMap(({ settings }) => settings.warnings) }
}
