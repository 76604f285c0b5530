// The tools that a session may call, asked of all its granted servers at once. One that is down takes none of the others along.
import { limits, type LiveGrant, type Pinning, ServiceError, type ToolDefinition } from '@gatehouse/contracts'
import { Abandoned } from '@gatehouse/kernel'
import type { ToolAddress } from '@gatehouse/kernel'
import { addressesOf } from '../names/look-up.ts'
import { createNameTable } from '../names/table.ts'
import { digestOf } from '../upstream/digest-of.ts'
import type { Listing } from '../upstream/live.ts'
import type { CallTools } from './handle.ts'
import { type ListedText, writeListed } from './listed.ts'
import type { CallSession } from './session.ts'

export interface ServerList {
  readonly server: string
  readonly status: 'ok' | 'error' | 'cancelled'
  readonly tools: readonly ListedText[]
  /** Milliseconds. */
  readonly duration: number
}

interface Granted extends LiveGrant {
  readonly pinning: Pinning
}

interface Asked extends Omit<ServerList, 'tools'> {
  readonly granted: Granted
  readonly listing: Listing | undefined
}

/** What a call would be refused for is not shown either. */
const isAsApproved = ({ pinning, pins }: Granted, tool: ToolDefinition): boolean => {
  if (pinning === 'warn' || pins === undefined) return true
  const pin = Object.hasOwn(pins, tool.name) ? pins[tool.name] : undefined
  return pin === undefined ? pinning !== 'strict' : pin === digestOf(tool)
}

const isShown = (granted: Granted, tool: ToolDefinition): boolean =>
  granted.exhausted !== true && (granted.tools.length === 0 || granted.tools.includes(tool.name)) && isAsApproved(granted, tool)

const askServer = async ({ servers }: CallTools, granted: Granted, [session, signal]: [CallSession, AbortSignal]): Promise<Asked> => {
  const started = performance.now()
  const upstream = servers.find(granted.server, session.id)
  const end = (status: ServerList['status'], listing: Listing | undefined): Asked => ({
    granted,
    server: granted.server,
    status,
    listing,
    duration: performance.now() - started,
  })
  if (upstream === undefined) return end('error', undefined)
  try {
    return end('ok', await upstream.listing(AbortSignal.any([signal, AbortSignal.timeout(limits.connectTime)])))
  } catch {
    if (signal.aborted && signal.reason instanceof Abandoned) return end('cancelled', undefined)
    return end('error', upstream.lastListing)
  }
}

const isFrozen = (): ServiceError =>
  new ServiceError('frozen', { detail: 'tool calls are stopped by an operator until further notice', hint: 'ask again later' })

const showServers = (asked: readonly Asked[], names: ReadonlyMap<string, ToolAddress>): ServerList[] => {
  const shown = new Map(asked.map(({ server }) => [server, [] as ListedText[]]))
  const byServer = new Map(asked.map((each) => [each.server, each]))
  for (const [name, { server, tool }] of names) {
    const each = byServer.get(server)
    const definition = each?.listing?.tools.get(tool)
    if (each !== undefined && definition !== undefined && isShown(each.granted, definition))
      shown.get(server)?.push(writeListed(name, server, definition))
  }
  return asked.map(({ server, status, duration }) => ({ server, status, duration, tools: shown.get(server) ?? [] }))
}

/** Makes the session's table of names anew. Rejects with `frozen`, and when the gateway cannot be asked. */
export const createList =
  (tools: CallTools) =>
  async (session: CallSession, signal: AbortSignal): Promise<readonly ServerList[]> => {
    const { frozen, pinning, grants } = await tools.gateway.grants({ session: session.id }, { signal })
    if (frozen) throw isFrozen()
    const asked = await Promise.all(grants.map((grant) => askServer(tools, { ...grant, pinning }, [session, signal])))
    session.names = createNameTable(asked.flatMap(({ server, listing }) => addressesOf(server, listing)))
    return showServers(asked, session.names)
  }
