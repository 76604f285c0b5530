// How each MCP client wants to be told of a remote server: its file, and the entry in it. One row a client. The file holds
// a token, so that only its owner may read it.
import { randomBytes } from 'node:crypto'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { isObject, jsonBounds, ServiceError } from '@gatehouse/contracts'
import { parseJson } from '@gatehouse/kernel'
import type { Environment } from '../command.ts'

interface Endpoint {
  /** Name of the entry. */
  readonly name: string
  readonly url: string
  readonly token: string
}

type Json = Record<string, unknown>

interface ClientFormat {
  /** Of the person, never of a project: a project's file is shared with others. Absent where the client has none of its own. */
  readonly path?: (environment: Environment) => string
  /** Throws `conflict` for an entry that is there, unless it may be written over. Throws `malformed` for what is no file of the client. */
  readonly write: (endpoint: Endpoint, options: { readonly present: Json | string | undefined; readonly force: boolean }) => string
  /** What the file holds already. */
  readonly syntax: 'json' | 'toml'
}

const homeOf = (environment: Environment): string => environment['HOME'] ?? homedir()

const configOf = (environment: Environment): string => environment['XDG_CONFIG_HOME'] ?? join(homeOf(environment), '.config')

const authorization = ({ token }: Endpoint) => ({ Authorization: `Bearer ${token}` })

const taken = (name: string): ServiceError =>
  new ServiceError('conflict', {
    detail: `expected no entry ${name} in the file of the client, there is one`,
    hint: 'choose another --entry, or add --force',
  })

/** An entry below one member of a JSON document; the rest stays as it is. */
const jsonFormat = (member: string, entryOf: (endpoint: Endpoint) => Json): Pick<ClientFormat, 'write' | 'syntax'> => ({
  syntax: 'json',
  write: (endpoint, { present = {}, force }) => {
    const entries = isObject(present) ? (present[member] ?? {}) : undefined
    if (!isObject(present) || !isObject(entries))
      throw new ServiceError('malformed', { detail: `expected an object with an object ${member} in the file of the client` })
    if (Object.hasOwn(entries, endpoint.name) && !force) throw taken(endpoint.name)
    return `${JSON.stringify({ ...present, [member]: { ...entries, [endpoint.name]: entryOf(endpoint) } }, null, 2)}\n`
  },
})

/** A JSON string is one of TOML too, for the characters that a name, a URL and a token have. */
const codexTable = (endpoint: Endpoint): string =>
  [
    `[mcp_servers.${JSON.stringify(endpoint.name)}]`,
    `url = ${JSON.stringify(endpoint.url)}`,
    `http_headers = { Authorization = ${JSON.stringify(authorization(endpoint).Authorization)} }`,
    '',
  ].join('\n')

const codexHead = (name: string): RegExp => new RegExp(`^\\s*\\[\\s*mcp_servers\\s*\\.\\s*(?:"${name}"|'${name}'|${name})\\s*[.\\]]`, 'm')

const codex: Pick<ClientFormat, 'write' | 'syntax'> = {
  syntax: 'toml',
  write: (endpoint, { present = '' }) => {
    const text = typeof present === 'string' ? present : ''
    // An entry that is there is not taken apart: that would need to understand the whole file.
    if (codexHead(endpoint.name).test(text)) throw taken(endpoint.name)
    return `${text}${text === '' || text.endsWith('\n\n') ? '' : text.endsWith('\n') ? '\n' : '\n\n'}${codexTable(endpoint)}`
  },
}

const vscodeDirectory = (environment: Environment): string =>
  process.platform === 'darwin'
    ? join(homeOf(environment), 'Library/Application Support/Code/User')
    : join(configOf(environment), 'Code/User')

const clientFormats = {
  'claude-code': {
    path: (environment) => join(homeOf(environment), '.claude.json'),
    ...jsonFormat('mcpServers', (endpoint) => ({ type: 'http', url: endpoint.url, headers: authorization(endpoint) })),
  },
  codex: {
    path: (environment) => join(environment['CODEX_HOME'] ?? join(homeOf(environment), '.codex'), 'config.toml'),
    ...codex,
  },
  cursor: {
    path: (environment) => join(homeOf(environment), '.cursor/mcp.json'),
    ...jsonFormat('mcpServers', (endpoint) => ({ url: endpoint.url, headers: authorization(endpoint) })),
  },
  vscode: {
    path: (environment) => join(vscodeDirectory(environment), 'mcp.json'),
    ...jsonFormat('servers', (endpoint) => ({ type: 'http', url: endpoint.url, headers: authorization(endpoint) })),
  },
  'gemini-cli': {
    path: (environment) => join(homeOf(environment), '.gemini/settings.json'),
    ...jsonFormat('mcpServers', (endpoint) => ({ httpUrl: endpoint.url, headers: authorization(endpoint) })),
  },
  opencode: {
    path: (environment) => join(configOf(environment), 'opencode/opencode.json'),
    ...jsonFormat('mcp', (endpoint) => ({ type: 'remote', url: endpoint.url, enabled: true, headers: authorization(endpoint) })),
  },
  json: jsonFormat('mcpServers', (endpoint) => ({ type: 'http', url: endpoint.url, headers: authorization(endpoint) })),
} as const satisfies Record<string, ClientFormat>

export type ClientName = keyof typeof clientFormats
export const clientNames = Object.keys(clientFormats) as [ClientName, ...ClientName[]]

const formatOf = (name: ClientName): ClientFormat => clientFormats[name]

interface Configuration {
  /** Undefined where it is printed. */
  readonly path: string | undefined
  /** The whole of it, with this token. */
  textWith(token: string): string
}

const isAbsent = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT'

const readPresent = async (path: string): Promise<string | undefined> =>
  readFile(path, 'utf8').catch((cause: unknown) => {
    if (isAbsent(cause)) return undefined
    throw new ServiceError('invalid', { detail: `expected a file that can be read at ${path}`, hint: 'check the path and its mode', cause })
  })

const parsePresent = (text: string, path: string): Record<string, unknown> => {
  try {
    return text.trim() === '' ? {} : (parseJson(text, jsonBounds.stateFile) as Record<string, unknown>)
  } catch (cause) {
    throw new ServiceError('malformed', {
      detail: `expected JSON without comments in ${path}, got something else`,
      hint: 'leave out --write, and put what is printed into the file',
      cause,
    })
  }
}

interface ConfigurationOptions extends Omit<Endpoint, 'token'> {
  readonly client: ClientName
  readonly write: boolean
  readonly force: boolean
  readonly environment: Environment
}

/** Throws for a file that cannot take the entry, before any token is made. */
export const openConfiguration = async (options: ConfigurationOptions): Promise<Configuration> => {
  const { client, write, force, environment, name, url } = options
  const format = formatOf(client)
  const path = write ? format.path?.(environment) : undefined
  if (write && path === undefined)
    throw new ServiceError('invalid', { detail: `expected a client with a file of its own for --write, got ${client}` })
  const text = path === undefined ? undefined : await readPresent(path)
  const present = text === undefined || path === undefined || format.syntax === 'toml' ? text : parsePresent(text, path)
  const textWith = (token: string): string => format.write({ name, url, token }, { present, force })
  textWith('')
  return { path, textWith }
}

/** The file is replaced at once and whole. */
export const writeConfiguration = async (path: string, text: string): Promise<void> => {
  const place = `${path}.${randomBytes(4).toString('hex')}.part`
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  try {
    await writeFile(place, text, { mode: 0o600, flag: 'wx', flush: true })
    await rename(place, path)
  } catch (error) {
    await rm(place, { force: true })
    throw error
  }
}
