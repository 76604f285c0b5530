// The only network access of the process that resolves and fetches packages: GET requests to one registry, and no other host.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { limits, type OutboundSettings } from '@gatehouse/contracts'
import { listenUnix, type Logger } from '@gatehouse/kernel'
import { createOutlet, type Outlet } from '@gatehouse/outbound'

export interface RegistryPlace {
  readonly registry: string
  /** The unit's own admin address: never dialled. */
  readonly ownAddress: string
  readonly outbound: OutboundSettings
}

export interface ForwarderOptions extends RegistryPlace {
  readonly socket: string
  /** Group of the sandbox; undefined where it runs as the unit itself. */
  readonly gid: number | undefined
  readonly log: Logger
}

interface Asked {
  readonly outlet: Outlet
  readonly registry: URL
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

const forward = async ({ outlet, registry, request, response }: Asked): Promise<void> => {
  const { url = '/', headers } = request
  const target = URL.canParse(url, registry.href) ? new URL(url, registry) : undefined
  if (request.method !== 'GET' || !url.startsWith('/') || headers.host !== registry.host || target?.origin !== registry.origin) {
    response.writeHead(403).end()
    return
  }
  // Requests contain nothing of the unit.
  const accept: Record<string, string> = headers.accept === undefined ? {} : { accept: headers.accept }
  const answer = await outlet.fetch(target, { headers: accept, signal: AbortSignal.timeout(limits.treeTime) })
  const type = answer.headers.get('content-type')
  response.writeHead(answer.status, type === null ? {} : { 'content-type': type })
  if (answer.body === null) response.end()
  else await pipeline(answer.body, response)
}

const isCertificate = (code: string): boolean => /CERT|SELF_SIGNED|UNABLE_TO_(?:GET|VERIFY)|TLS_ALTNAME/.test(code)

/** The code of OpenSSL for a certificate that is not trusted, which stands somewhere among the causes. */
const certificateFault = (error: unknown): string | undefined => {
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 8; at = at.cause, depth += 1)
    if ('code' in at && typeof at.code === 'string' && isCertificate(at.code)) return at.code
  return undefined
}

export interface Forwarder {
  /** The cause and the fix, if the certificate of the registry is the reason of a failure. */
  fault(): string | undefined
  close(): Promise<void>
}

/** Serves until it is closed. */
export const openForwarder = async (options: ForwarderOptions): Promise<Forwarder> => {
  const { ownAddress, outbound: settings, socket, gid, log } = options
  const registry = new URL(options.registry)
  const outlet = createOutlet({ url: registry, ownAddress, settings, most: limits.treeTarball })
  let fault: string | undefined
  const server = createServer({ maxHeaderSize: limits.requestHeaders }, (request, response) => {
    forward({ outlet, registry, request, response }).catch((error: unknown) => {
      log.debug('request to the registry failed', { error })
      const code = certificateFault(error)
      if (code !== undefined)
        fault = `the certificate of the registry ${registry.host} is not trusted (${code}): name a PEM file with the authority that signed it in SERVICE_CA_FILE, and start the unit again`
      if (response.headersSent) response.destroy()
      else response.writeHead(502).end()
    })
  })
  server.maxConnections = limits.sessionConnections
  await listenUnix(server, socket, gid === undefined ? {} : { mode: 0o660, gid })
  return {
    fault: () => fault,
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await Promise.all([closed, outlet.close()])
    },
  }
}
