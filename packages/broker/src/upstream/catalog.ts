// Keeps the servers in step with the catalog of the gateway, and answers questions about one of them: probe, logs, definitions.
import { type gatewayBroker, limits, type ProbeResult, type ServerLogs, type ServerName, ServiceError } from '@gatehouse/contracts'
import { createSerialQueue, type Logger } from '@gatehouse/kernel'
import type { Calls } from '@gatehouse/rpc'
import { classify } from './base/classify.ts'
import { UpstreamError, UpstreamFailure } from './base/failure.ts'
import { connect } from './connection.ts'
import { listTools } from './list-tools.ts'
import type { EvidenceReporter, Servers } from './servers.ts'
import type { ConnectSettings, NamedEntry } from './make-transport.ts'
import type { Origins } from './origins.ts'
import { keepsFiles } from './stdio/exclusive.ts'
import type { LogQuery } from './stdio/server-logs.ts'

const toFailure = (error: unknown, signal: AbortSignal): UpstreamFailure => {
  if (signal.aborted) return new UpstreamFailure('silent', `the server did not answer within ${limits.probeTime / 1000} s`)
  return error instanceof UpstreamError ? new UpstreamFailure('protocol') : classify(error)
}

type ProbeFindings = Omit<ProbeResult, 'elapsedMs'>

const connectAndList = async (entry: NamedEntry, settings: ConnectSettings, signal: AbortSignal): Promise<ProbeFindings> => {
  const connection = await connect(entry, settings, { signal })
  try {
    const { tools } = await listTools(connection, signal)
    return { tools: [...tools], server: connection.server, ...(connection.image !== undefined && { image: connection.image }) }
  } finally {
    await connection.close()
  }
}

/**
 * Lists on a separate short-lived connection, so that shared connections are not affected. `inspectOpen` uses the open connection
 * if there is one: a server that writes files must not run twice. Throws `upstream-failed`, which names the class of the failure.
 */
const probe = async (
  entry: NamedEntry,
  settings: ConnectSettings,
  inspectOpen: (signal: AbortSignal) => Promise<ProbeFindings | undefined> = async () => undefined,
): Promise<ProbeResult> => {
  const started = performance.now()
  const signal = AbortSignal.timeout(limits.probeTime)
  try {
    const findings = (await inspectOpen(signal)) ?? (await connectAndList(entry, settings, signal))
    return { ...findings, elapsedMs: Math.round(performance.now() - started) }
  } catch (error) {
    throw new ServiceError('upstream-failed', { detail: toFailure(error, signal).message, cause: error })
  }
}

export interface CatalogOptions {
  readonly gateway: Calls<typeof gatewayBroker>
  readonly servers: Servers
  readonly settings: ConnectSettings
  readonly evidence: EvidenceReporter
  readonly origins: Origins
  readonly log: Logger
}

export class Catalog {
  readonly #options: CatalogOptions
  readonly #next = createSerialQueue()

  constructor(options: CatalogOptions) {
    this.#options = options
  }

  synchronize(): Promise<void> {
    return this.#next(async () => {
      const { gateway, servers, origins, settings } = this.#options
      const catalog = await gateway.catalog({})
      // A server is known with its login.
      await settings.logins.synchronize(catalog)
      servers.synchronize(catalog)
      settings.serverLogs.keepOnly(new Set(catalog.map(({ name }) => name)))
      void origins.synchronize(catalog.map(({ entry }) => entry))
    })
  }

  /** Probes the entry as it is now, so that a probe right after a change probes the change. */
  async probe(name: ServerName): Promise<ProbeResult> {
    await this.synchronize().catch((error: unknown) =>
      this.#options.log.warn('could not read the catalog, the last one stays in use', { error }),
    )
    const item = this.#options.servers.item(name)
    if (item === undefined)
      throw new ServiceError('not-found', { detail: `expected the name of a tool server in the catalog, got ${name}` })
    const shared = keepsFiles(item.entry) ? this.#options.servers.find(name) : undefined
    const result = await probe(item, this.#options.settings, async (signal) => shared?.inspect(signal))
    void this.#options.evidence.report(item, result.tools)
    return result
  }

  /** What the server wrote to its stderr. */
  logs({ name, ...query }: { readonly name: ServerName } & LogQuery): ServerLogs {
    return this.#options.settings.serverLogs.read(name, query)
  }

  /** Handles the gateway's request for the current tools of a server. The listing reports them. */
  async observe(name: ServerName): Promise<void> {
    const { servers, log } = this.#options
    const upstream = servers.find(name)
    // With one server per session, none of them is authoritative.
    const listing = upstream === undefined ? this.probe(name) : upstream.relist(AbortSignal.timeout(limits.probeTime))
    await listing.catch(() => log.warn('could not list a server for the gateway', { server: name }))
  }
}
