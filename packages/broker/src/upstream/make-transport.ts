// From a catalog entry to a transport that is not yet started, with its variables expanded.
import { join } from 'node:path'
import type { BrokerBoot, CatalogEntry, LocalEntry } from '@gatehouse/contracts'
import { type Logger, privateDirectory } from '@gatehouse/kernel'
import type { Reach, Resolve } from '@gatehouse/outbound'
import type { Transport } from '@modelcontextprotocol/client'
import { checkHeaders, checkVariables, expand, type Expanded, shortestSecret } from '../secrets/expand.ts'
import { createScrub, type Scrub } from '../secrets/scrub.ts'
import type { Eras } from './eras.ts'
import { UpstreamFailure } from './failure.ts'
import { createHttpTransport } from './http/transport.ts'
import { type Alone, keepsFiles } from './stdio/alone.ts'
import type { Containers } from './stdio/containers.ts'
import type { NamedEntry } from './named-entry.ts'
import type { Output } from './stdio/output.ts'
import { type RunningProgram, startProgram } from './stdio/start-program.ts'
import { StdioTransport } from './stdio/transport.ts'

export interface ConnectSettings {
  readonly boot: Pick<BrokerBoot, 'isolation' | 'variables' | 'ownAddress' | 'outbound' | 'runDir' | 'version'>
  readonly log: Logger
  readonly eras: Eras
  readonly output: Output
  /** Keeps apart the processes of servers that keep files. */
  readonly alone: Alone
  /** Which addresses may be dialled for an entry. */
  reachOf(entry: CatalogEntry): Promise<Reach>
  /** Where local servers run in containers. */
  readonly containers?: Containers | undefined
  /** Seam for tests. */
  readonly resolve?: Resolve | undefined
  /** Registers an expanded value, so that no log shows it. */
  secret(value: string): void
}

export type MadeTransport = { readonly scrub: Scrub } & (
  | { readonly kind: 'stdio'; readonly transport: StdioTransport }
  | { readonly kind: 'http'; readonly transport: Transport }
)

const scrubOf = (name: string, { secrets, literals, plain }: Expanded, settings: ConnectSettings): Scrub => {
  for (const secret of secrets) settings.secret(secret)
  if (plain.length > 0)
    settings.log.info('values of an entry are too short to be kept from agents', { server: name, fields: plain, shortest: shortestSecret })
  return createScrub([...secrets, ...literals])
}

/** Home and working directory of a local server: nothing of the broker's lies there. */
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

/** Never run without the isolation that was asked for. */
const startOf = async ({ named, entry }: Local, env: Readonly<Record<string, string>>, settings: ConnectSettings): Promise<Start> => {
  const { boot, containers } = settings
  if (boot.isolation === 'none') {
    const directory = await makeDirectory(serverDirectory(boot.runDir, named))
    return () => startProgram({ command: entry.command, args: entry.args, env, directory })
  }
  if (containers === undefined) throw new UpstreamFailure('no-engine')
  return () => containers.start({ ...named, entry, env })
}

/** Rejects with `UpstreamFailure` when the entry cannot be used on this unit. */
export const makeTransport = async (named: NamedEntry, settings: ConnectSettings, signal: AbortSignal): Promise<MadeTransport> => {
  const { name, entry, session } = named
  if (entry.transport === 'http') {
    const expanded = expand(entry.headers, settings.boot.variables)
    const { values } = expanded
    checkHeaders(values)
    const { ownAddress, outbound } = settings.boot
    const transport = createHttpTransport({
      url: entry.url,
      headers: values,
      ownAddress,
      outbound,
      reach: await settings.reachOf(entry),
      resolve: settings.resolve,
    })
    return { kind: 'http', transport, scrub: scrubOf(name, expanded, settings) }
  }
  const expanded = expand(entry.env, settings.boot.variables)
  const { values } = expanded
  checkVariables(values)
  const scrub = scrubOf(name, expanded, settings)
  const log = settings.log.child({ server: name })
  const start = await startOf({ named, entry }, values, settings)
  const transport = new StdioTransport({
    start: keepsFiles(entry) ? () => settings.alone.start(`${name}.${session ?? ''}`, start, signal) : start,
    onErrorOutput: settings.output.take({ name, session, scrub }),
    onNoise: () => log.debug('mcp.noise'),
  })
  return { kind: 'stdio', transport, scrub }
}
