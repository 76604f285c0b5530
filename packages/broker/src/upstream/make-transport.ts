// Makes the transport of a catalog entry, not yet started, with the variables of the entry expanded and its secrets redacted.
import { join } from 'node:path'
import {
  type BrokerBoot,
  type CatalogEntry,
  limits,
  type LocalEntry,
  type RemoteEntry,
  type ServerName,
  type SessionID,
} from '@gatehouse/contracts'
import { canonical, type Logger, privateDirectory, sha256 } from '@gatehouse/kernel'
import type { Reach, Resolve } from '@gatehouse/outbound'
import type { Transport } from '@modelcontextprotocol/client'
import { createLiveRedactor, joinRedactors } from '../oauth/live-redactor.ts'
import { asksForLogin, type Logins } from '../oauth/logins.ts'
import { checkHeaders, checkVariables, expand, type Expanded, minSecretLength } from '../secrets/expand.ts'
import { createRedactor, type Redactor } from '../secrets/redact.ts'
import { UpstreamFailure } from './base/failure.ts'
import { createHttpTransport } from './http/transport.ts'
import type { Containers } from './stdio/containers.ts'
import { type ExclusiveStarts, keepsFiles } from './stdio/exclusive.ts'
import type { ServerLogStore } from './stdio/server-logs.ts'
import { type RunningProgram, startProgram } from './stdio/start-program.ts'
import { StdioTransport } from './stdio/transport.ts'

/** A catalog entry under its name, as a connection is made for it. */
export interface NamedEntry {
  readonly name: ServerName
  readonly entry: CatalogEntry
  /** Where each session has a connection of its own. */
  readonly session?: SessionID
}

/** The key holds the whole entry: another value of a variable may make it another server. */
const cacheKey = ({ name, entry }: NamedEntry): string => sha256(canonical({ name, entry }))

/** Which servers were found to speak the revisions with a handshake. They are not probed again for a while. */
export class ProtocolCache {
  readonly #legacy = new Map<string, number>()

  /** Results expire: the old revision never fails by itself, so an upgraded server would not be noticed. */
  isLegacy(entry: NamedEntry): boolean {
    const at = this.#legacy.get(cacheKey(entry))
    return at !== undefined && performance.now() - at < limits.eraKept
  }

  remember(entry: NamedEntry, era: 'legacy' | 'modern'): void {
    const key = cacheKey(entry)
    this.#legacy.delete(key)
    if (era === 'legacy') this.#legacy.set(key, performance.now())
    const [oldest] = this.#legacy.keys()
    if (this.#legacy.size > limits.erasKept && oldest !== undefined) this.#legacy.delete(oldest)
  }

  /** A connection failed: the server may have become another. */
  forget(entry: NamedEntry): void {
    this.#legacy.delete(cacheKey(entry))
  }
}

export interface ConnectSettings {
  readonly boot: Pick<BrokerBoot, 'isolation' | 'variables' | 'ownAddress' | 'outbound' | 'runDir' | 'version'>
  readonly log: Logger
  readonly protocolCache: ProtocolCache
  readonly serverLogs: ServerLogStore
  /** Prevents two processes of a server that writes files. */
  readonly exclusiveStarts: ExclusiveStarts
  /** Which addresses may be dialled for an entry. */
  reachOf(entry: CatalogEntry): Promise<Reach>
  /** Where local servers run in containers. */
  readonly containers?: Containers | undefined
  readonly logins: Pick<Logins, 'of' | 'needsLogin' | 'synchronize'>
  /** Seam for tests. */
  readonly resolve?: Resolve | undefined
  /** Registers an expanded value, so that no log shows it. */
  secret(value: string): void
}

export type MadeTransport = { readonly redactor: Redactor } & (
  | { readonly kind: 'stdio'; readonly transport: StdioTransport }
  | { readonly kind: 'http'; readonly transport: Transport }
)

const buildRedactor = (name: string, { secrets, literals, plain }: Expanded, settings: ConnectSettings): Redactor => {
  for (const secret of secrets) settings.secret(secret)
  if (plain.length > 0)
    settings.log.info('values of an entry are too short to be kept from agents', { server: name, fields: plain, shortest: minSecretLength })
  return createRedactor([...secrets, ...literals])
}

/** Home and working directory of a local server. It holds nothing of the broker's own. */
export const serverDirectory = (runDir: string, { name, session }: Pick<NamedEntry, 'name' | 'session'>): string =>
  join(runDir, 'servers', session === undefined ? name : `${name}.${session}`)

const makeDirectory = async (directory: string): Promise<string> => {
  await privateDirectory(directory)
  return directory
}

interface Local {
  readonly named: NamedEntry
  readonly entry: LocalEntry
}

type Start = () => Promise<RunningProgram>

/** A server is never started without the isolation that the unit is configured for. */
const createStart = async ({ named, entry }: Local, env: Readonly<Record<string, string>>, settings: ConnectSettings): Promise<Start> => {
  const { boot, containers } = settings
  if (boot.isolation === 'none') {
    const directory = await makeDirectory(serverDirectory(boot.runDir, named))
    return () => startProgram({ command: entry.command, args: entry.args, env, directory })
  }
  if (containers === undefined) throw new UpstreamFailure('no-engine')
  return () => containers.start({ ...named, entry, env })
}

const makeRemote = async (name: ServerName, entry: RemoteEntry, settings: ConnectSettings): Promise<MadeTransport> => {
  const expanded = expand(entry.headers, settings.boot.variables)
  const { values } = expanded
  checkHeaders(values)
  const { ownAddress, outbound } = settings.boot
  const login = asksForLogin(entry) ? settings.logins.of(name, entry) : undefined
  const transport = createHttpTransport({
    url: entry.url,
    headers: values,
    ownAddress,
    outbound,
    reach: await settings.reachOf(entry),
    resolve: settings.resolve,
    authorization: login,
  })
  const redactor = buildRedactor(name, expanded, settings)
  if (login === undefined) return { kind: 'http', transport, redactor }
  const ofLogin = createLiveRedactor(() => login.secrets)
  return { kind: 'http', transport, redactor: joinRedactors(redactor, ofLogin) }
}

/** Rejects with `UpstreamFailure` when the entry cannot be used on this unit. */
export const makeTransport = async (named: NamedEntry, settings: ConnectSettings, signal: AbortSignal): Promise<MadeTransport> => {
  const { name, entry, session } = named
  if (entry.transport === 'http') return makeRemote(name, entry, settings)
  const expanded = expand(entry.env, settings.boot.variables)
  const { values } = expanded
  checkVariables(values)
  const redactor = buildRedactor(name, expanded, settings)
  const log = settings.log.child({ server: name })
  const start = await createStart({ named, entry }, values, settings)
  const transport = new StdioTransport({
    start: keepsFiles(entry) ? () => settings.exclusiveStarts.start(`${name}.${session ?? ''}`, start, signal) : start,
    onErrorOutput: settings.serverLogs.take({ name, session, redactor }),
    onNoise: () => log.debug('mcp.noise'),
  })
  return { kind: 'stdio', transport, redactor }
}
