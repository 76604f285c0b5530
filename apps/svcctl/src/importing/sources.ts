// Where MCP clients keep their servers, and the shapes of those files: `mcpServers`, VS Code's `servers`, projects of Claude Code.
import { homedir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { ServiceError } from '@gatehouse/contracts'
import type { Environment } from '../command.ts'
import { readConfiguration } from './read-file.ts'

export type Json = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

/** A server as a client is configured to start or reach it. */
export interface ClientServer {
  readonly client: string
  readonly path: string
  readonly name: string
  readonly definition: unknown
}

interface Source {
  readonly client: string
  readonly path: string
}

const homeOf = (environment: Environment): string => environment['HOME'] ?? homedir()

const applicationData = (environment: Environment): string =>
  process.platform === 'darwin'
    ? join(homeOf(environment), 'Library/Application Support')
    : (environment['XDG_CONFIG_HOME'] ?? join(homeOf(environment), '.config'))

/** Files of the person, then those of the project in `directory`. */
const usualSources = (environment: Environment, directory: string): readonly Source[] => [
  { client: 'claude-desktop', path: join(applicationData(environment), 'Claude/claude_desktop_config.json') },
  { client: 'claude-code', path: join(homeOf(environment), '.claude.json') },
  { client: 'cursor', path: join(homeOf(environment), '.cursor/mcp.json') },
  { client: 'vscode', path: join(applicationData(environment), 'Code/User/mcp.json') },
  { client: 'vscode', path: join(applicationData(environment), 'Code/User/settings.json') },
  { client: 'claude-code', path: join(directory, '.mcp.json') },
  { client: 'cursor', path: join(directory, '.cursor/mcp.json') },
  { client: 'vscode', path: join(directory, '.vscode/mcp.json') },
]

/** Of a file that somebody named. */
const clientOf = (path: string): string => {
  const name = basename(path)
  if (name === 'claude_desktop_config.json') return 'claude-desktop'
  if (name === '.claude.json' || name === '.mcp.json') return 'claude-code'
  if (/[/\\]\.cursor[/\\]/.test(path)) return 'cursor'
  return /[/\\](?:\.vscode|Code)[/\\]/.test(path) ? 'vscode' : 'file'
}

const members = ['mcpServers', 'servers'] as const

const serversIn = (document: Json, source: Source): ClientServer[] =>
  members.flatMap((member) => {
    const servers = document[member]
    if (servers === undefined) return []
    if (!isObject(servers))
      throw new ServiceError('malformed', { detail: `expected an object at ${member} in ${source.path}, got something else` })
    return Object.entries(servers).map(([name, definition]) => ({ ...source, name, definition }))
  })

/** The objects of a document that may hold servers: itself, `mcp` of VS Code's settings, each project of Claude Code. */
const holdersIn = (document: Json): Json[] => {
  const projects = isObject(document['projects']) ? Object.values(document['projects']) : []
  return [document, document['mcp'], ...projects].filter(isObject)
}

const knowsServers = (holder: Json): boolean => members.some((member) => holder[member] !== undefined)

const readSource = async (
  source: Source,
): Promise<{ readonly servers: readonly ClientServer[]; readonly isKnown: boolean } | undefined> => {
  const document = await readConfiguration(source.path)
  if (document === undefined) return undefined
  const holders = isObject(document) ? holdersIn(document) : []
  return { servers: holders.flatMap((holder) => serversIn(holder, source)), isKnown: holders.some(knowsServers) }
}

export interface Found {
  /** Files that were read and have servers. */
  readonly files: readonly Source[]
  readonly servers: readonly ClientServer[]
}

const readNamed = async (path: string): Promise<Found> => {
  const source = { client: clientOf(resolve(path)), path }
  const read = await readSource(source)
  if (read === undefined) throw new ServiceError('invalid', { detail: `expected a file at ${path}, there is none` })
  if (!read.isKnown)
    throw new ServiceError('malformed', {
      detail: `expected mcpServers, or servers as VS Code has them, in ${path}, got neither`,
      hint: 'name the file that the client keeps its MCP servers in',
    })
  return { files: [source], servers: read.servers }
}

/** One file, or those of every known client that are there. */
export const findServers = async (path: string | undefined, environment: Environment): Promise<Found> => {
  if (path !== undefined) return readNamed(path)
  const sources = usualSources(environment, process.cwd())
  const read = await Promise.all(sources.map(async (source) => ({ source, found: await readSource(source) })))
  const known = read.filter(({ found }) => found !== undefined && found.servers.length > 0)
  if (known.length > 0) return { files: known.map(({ source }) => source), servers: known.flatMap(({ found }) => found?.servers ?? []) }
  throw new ServiceError('not-found', {
    detail: `no MCP servers found in ${sources.map(({ path: looked }) => looked).join(', ')}`,
    hint: 'svcctl mcp import FILE',
  })
}
