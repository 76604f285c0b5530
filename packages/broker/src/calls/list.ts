// The tools that a session may call, listed from all its granted servers at once. A server that is down affects no other.
import { limits, type LiveGrant, type Pinning, ServiceError, type ToolDefinition } from '@gatehouse/contracts'
import { Abandoned, type ToolAddress } from '@gatehouse/kernel'
import type { Listing } from '../upstream/active-connection.ts'
import { getDefinitionDigest } from '../upstream/list-tools.ts'
import { buildAddresses, type CallServices } from './call.ts'
import { type CallSession, createNameTable } from './session.ts'
import { type ToolText, writeTool } from './tool-text.ts'

export interface ServerList {
  readonly server: string
  readonly status: 'ok' | 'error' | 'cancelled'
  readonly tools: readonly ToolText[]
  /** Milliseconds. */
  readonly duration: number
}

interface PinnedGrant extends LiveGrant {
  readonly pinning: Pinning
}

interface ServerAnswer extends Omit<ServerList, 'tools'> {
  readonly granted: PinnedGrant
  readonly listing: Listing | undefined
}

/** A tool whose call would be refused is not listed either. */
const isAsApproved = ({ pinning, pins }: PinnedGrant, tool: ToolDefinition): boolean => {
  if (pinning === 'warn' || pins === undefined) return true
  const pin = Object.hasOwn(pins, tool.name) ? pins[tool.name] : undefined
  return pin === undefined ? pinning !== 'strict' : pin === getDefinitionDigest(tool)
}

const isShown = (granted: PinnedGrant, tool: ToolDefinition): boolean =>
  granted.exhausted !== true && (granted.tools.length === 0 || granted.tools.includes(tool.name)) && isAsApproved(granted, tool)

const listServer = async (
  { servers }: CallServices,
  granted: PinnedGrant,
  [session, signal]: [CallSession, AbortSignal],
): Promise<ServerAnswer> => {
  const started = performance.now()
  const upstream = servers.find(granted.server, session.id)
  const end = (status: ServerList['status'], listing: Listing | undefined): ServerAnswer => ({
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

const frozenError = (): ServiceError =>
  new ServiceError('frozen', { detail: 'tool calls are stopped by an operator until further notice', hint: 'ask again later' })

const buildServerLists = (answers: readonly ServerAnswer[], names: ReadonlyMap<string, ToolAddress>): ServerList[] => {
  const shown = new Map(answers.map(({ server }) => [server, [] as ToolText[]]))
  const byServer = new Map(answers.map((each) => [each.server, each]))
  for (const [name, { server, tool }] of names) {
    const each = byServer.get(server)
    const definition = each?.listing?.tools.get(tool)
    if (each !== undefined && definition !== undefined && isShown(each.granted, definition))
      shown.get(server)?.push(writeTool(name, server, definition))
  }
  return answers.map(({ server, status, duration }) => ({ server, status, duration, tools: shown.get(server) ?? [] }))
}

/** Builds the session's table of names again. Rejects with `frozen`, and when the gateway cannot be asked. */
export const createList =
  (services: CallServices) =>
  async (session: CallSession, signal: AbortSignal): Promise<readonly ServerList[]> => {
    const { frozen, pinning, grants } = await services.gateway.grants({ session: session.id }, { signal })
    if (frozen) throw frozenError()
    const answers = await Promise.all(grants.map((grant) => listServer(services, { ...grant, pinning }, [session, signal])))
    session.names = createNameTable(answers.flatMap(({ server, listing }) => buildAddresses(server, listing)))
    return buildServerLists(answers, session.names)
  }
