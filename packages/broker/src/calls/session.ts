// The session bound to a socket, which a request cannot override: the names of its tools, and its calls in flight.
import type { AgentGroupID, gatewayBroker, Result, SessionID } from '@gatehouse/contracts'
import { Abandoned, distinctName, exposedName, type InFlightRequest, InFlightRequests, type ToolAddress } from '@gatehouse/kernel'
import type { Calls } from '@gatehouse/rpc'

export interface CallSession {
  readonly id: SessionID
  readonly agentGroupID: AgentGroupID
  /** Built again by each list; undefined before the first list or call. */
  names: NameTable | undefined
  /** The group's limit as the last verdict named it. */
  callsPerMinute?: number | undefined
}

/** The tools of one session by name, as last listed. `/tools` and `/call` use the same table. */
type NameTable = ReadonlyMap<string, ToolAddress>

const groupByName = <T>(names: ReadonlyMap<T, string>): Map<string, T[]> => {
  const groups = new Map<string, T[]>()
  for (const [tool, name] of names) {
    const group = groups.get(name)
    if (group === undefined) groups.set(name, [tool])
    else group.push(tool)
  }
  return groups
}

/**
 * Two tools with the same name both get a distinct one, so that neither is called in place of the other. A server may declare a tool
 * under a name that becomes another tool's distinct name: then that tool is renamed too. Tools that still share a name are left out.
 */
export const createNameTable = <T extends ToolAddress>(tools: Iterable<T>): ReadonlyMap<string, T> => {
  const names = new Map<T, string>()
  for (const tool of tools) names.set(tool, exposedName(tool))
  for (;;) {
    const shared = [...groupByName(names).values()].filter((group) => group.length > 1).flat()
    const moved = shared.filter((tool) => names.get(tool) !== distinctName(tool))
    for (const tool of moved) names.set(tool, distinctName(tool))
    if (moved.length > 0) continue
    for (const tool of shared) names.delete(tool)
    return new Map([...names].map(([tool, name]) => [name, tool]))
  }
}

export interface CallFlight extends InFlightRequest {
  readonly session: CallSession
  readonly address: ToolAddress
}

type GroupGrants = Result<typeof gatewayBroker, 'grants'>

export type InFlightCalls = InFlightRequests<CallFlight, GroupGrants>

const findAbortReason = ({ frozen, grants }: GroupGrants, { address: { server, tool } }: CallFlight): Abandoned | undefined => {
  if (frozen) return new Abandoned('frozen')
  const grant = grants.find((each) => each.server === server)
  const isGranted = grant !== undefined && (grant.tools.length === 0 || grant.tools.includes(tool))
  return isGranted ? undefined : new Abandoned('revoked')
}

/** The calls that run now. They are checked again when a grant changes and when the unit is frozen. */
export const createInFlight = (gateway: Pick<Calls<typeof gatewayBroker>, 'grants'>): InFlightCalls =>
  new InFlightRequests({ ask: (session) => gateway.grants({ session }), reasonAgainst: findAbortReason })
