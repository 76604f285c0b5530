// The tools that a session may call, asked of all its granted servers at once. One that is down takes none of the others along.
import {
  type AgentGroupID,
  limits,
  type ListedTool,
  type LiveGrant,
  type Pinning,
  ServiceError,
  type ToolDefinition,
} from '@gatehouse/contracts'
import { Abandoned } from '@gatehouse/kernel'
import { exposedName } from '../names/exposed-name.ts'
import { createNameTable } from '../names/table.ts'
import { digestOf } from '../upstream/digest-of.ts'
import type { Listing } from '../upstream/live.ts'
import type { CallTools } from './handle.ts'
import type { CallSession } from './session.ts'

export interface ServerList {
  readonly server: string
  readonly status: 'ok' | 'error' | 'cancelled'
  readonly tools: readonly ListedTool[]
  /** Milliseconds. */
  readonly duration: number
}

export interface SessionList {
  readonly agentGroupID: AgentGroupID | null
  readonly servers: readonly ServerList[]
}

interface Granted extends LiveGrant {
  readonly pinning: Pinning
}

interface Asked {
  readonly granted: Granted
  readonly session: CallSession
}

const listed = (server: string, { name, description, inputSchema, outputSchema, annotations }: ToolDefinition): ListedTool => ({
  name: exposedName({ server, tool: name }),
  server,
  tool: name,
  ...(description !== undefined && { description }),
  inputSchema,
  ...(outputSchema !== undefined && { outputSchema }),
  ...(annotations !== undefined && { annotations }),
})

/** What a call would be refused for is not shown either. */
const isAsApproved = ({ pinning, pins }: Granted, tool: ToolDefinition): boolean => {
  if (pinning === 'warn' || pins === undefined) return true
  const pin = Object.hasOwn(pins, tool.name) ? pins[tool.name] : undefined
  return pin === undefined ? pinning !== 'strict' : pin === digestOf(tool)
}

const choose = (granted: Granted, listing: Listing | undefined): ListedTool[] => {
  const { server, tools, exhausted } = granted
  if (exhausted === true) return []
  return [...(listing?.tools.values() ?? [])]
    .filter((tool) => (tools.length === 0 || tools.includes(tool.name)) && isAsApproved(granted, tool))
    .map((tool) => listed(server, tool))
}

const listServer = async ({ servers }: CallTools, { granted, session }: Asked, signal: AbortSignal): Promise<ServerList> => {
  const started = performance.now()
  const upstream = servers.find(granted.server, session.id)
  const end = (status: ServerList['status'], listing: Listing | undefined): ServerList => ({
    server: granted.server,
    status,
    tools: choose(granted, listing),
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

/** Sorted by name; makes the session's table of names anew. Rejects with `frozen`, and when the gateway cannot be asked. */
export const createList =
  (tools: CallTools) =>
  async (session: CallSession, signal: AbortSignal): Promise<SessionList> => {
    const { agentGroupID, frozen, pinning, grants } = await tools.gateway.grants({ session: session.id }, { signal })
    if (frozen) throw isFrozen()
    const found = await Promise.all(grants.map((grant) => listServer(tools, { granted: { ...grant, pinning }, session }, signal)))
    const table = createNameTable(found.toSorted((a, b) => (a.server < b.server ? -1 : 1)).flatMap((server) => server.tools))
    session.names = table
    const shown = new Set(table.values())
    return { agentGroupID, servers: found.map((server) => ({ ...server, tools: server.tools.filter((tool) => shown.has(tool)) })) }
  }
