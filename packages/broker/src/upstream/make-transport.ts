// From a catalog entry to a transport that is not yet started, with its variables expanded.
import { join } from 'node:path'
import type { BrokerBoot, CatalogEntry, ServerName } from '@gatehouse/contracts'
import { type Logger, privateDirectory } from '@gatehouse/kernel'
import type { Transport } from '@modelcontextprotocol/client'
import { checkHeaders, checkVariables, expand } from '../secrets/expand.ts'
import { createScrub, type Scrub } from '../secrets/scrub.ts'
import { UpstreamFailure } from './failure.ts'
import { createHttpTransport } from './http/transport.ts'
import { StdioTransport } from './stdio/transport.ts'

export interface ConnectSettings {
  readonly boot: Pick<BrokerBoot, 'isolation' | 'variables' | 'ownAddress' | 'outbound' | 'runDir' | 'version'>
  readonly log: Logger
  /** Registers an expanded value, so that no log shows it. */
  secret(value: string): void
}

export interface NamedEntry {
  readonly name: ServerName
  readonly entry: CatalogEntry
}

export type MadeTransport = { readonly scrub: Scrub } & (
  | { readonly kind: 'stdio'; readonly transport: StdioTransport }
  | { readonly kind: 'http'; readonly transport: Transport }
)

const scrubOf = (secrets: readonly string[], settings: ConnectSettings): Scrub => {
  for (const secret of secrets) settings.secret(secret)
  return createScrub(secrets)
}

/** Home and working directory of a local server: nothing of the broker's lies there. */
const serverDirectory = async (runDir: string, name: ServerName): Promise<string> => {
  const directory = join(runDir, 'servers', name)
  await privateDirectory(directory)
  return directory
}

/** Rejects with `UpstreamFailure` when the entry cannot be used on this unit. */
export const makeTransport = async ({ name, entry }: NamedEntry, settings: ConnectSettings): Promise<MadeTransport> => {
  if (entry.transport === 'http') {
    const { values, secrets } = expand(entry.headers, settings.boot.variables)
    checkHeaders(values)
    const { ownAddress, outbound } = settings.boot
    const transport = createHttpTransport({ url: entry.url, headers: values, ownAddress, outbound })
    return { kind: 'http', transport, scrub: scrubOf(secrets, settings) }
  }
  // Never run without the isolation that was asked for.
  if (settings.boot.isolation === 'container') throw new UpstreamFailure('isolation')
  const { values, secrets } = expand(entry.env, settings.boot.variables)
  checkVariables(values)
  const scrub = scrubOf(secrets, settings)
  const log = settings.log.child({ server: name })
  const transport = new StdioTransport({
    program: { command: entry.command, args: entry.args, env: values, directory: await serverDirectory(settings.boot.runDir, name) },
    onErrorOutput: (text) => log.debug('mcp.stderr', { text: scrub.text(text) }),
    onNoise: () => log.debug('mcp.noise'),
  })
  return { kind: 'stdio', transport, scrub }
}
