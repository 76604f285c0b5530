// A tool call from its name to its outcome: the gateway authorizes it, the server declares the tool as it was approved, and then the call
// is made once.
import { type gatewayBroker, limits, type ToolCall } from '@gatehouse/contracts'
import { type Abandoned, exposedPrefix, parseName, type ToolAddress } from '@gatehouse/kernel'
import type { Calls } from '@gatehouse/rpc'
import type { Pending, Recorder } from '../records/recorder.ts'
import type { Listing } from '../upstream/active-connection.ts'
import { NotDeclared } from '../upstream/base/failure.ts'
import { callTool } from '../upstream/call-tool.ts'
import type { Servers } from '../upstream/servers.ts'
import type { Upstream } from '../upstream/upstream.ts'
import { interpretAnswer, interpretError } from './interpret.ts'
import { type Outcome, refuse, refuseName } from './outcome.ts'
import { type CallSession, createNameTable, type InFlightCalls } from './session.ts'

interface NameSources {
  readonly gateway: Pick<Calls<typeof gatewayBroker>, 'grants'>
  readonly servers: Pick<Servers, 'find'>
}

interface NameQuery {
  readonly name: string
  /** A cached list may be too old to have the tool. */
  readonly isFresh?: boolean
}

const readListing = async (upstream: Upstream, isFresh: boolean, signal: AbortSignal): Promise<Listing | undefined> => {
  const within = AbortSignal.any([signal, AbortSignal.timeout(limits.connectTime)])
  try {
    return await (isFresh ? upstream.relist(within) : upstream.listing(within))
  } catch {
    signal.throwIfAborted()
    return upstream.lastListing
  }
}

export const buildAddresses = (server: string, listing: Listing | undefined): ToolAddress[] =>
  [...(listing?.tools.keys() ?? [])].map((tool) => ({ server, tool }))

/** Rejects with the signal's reason, and when the gateway cannot be asked. Waits only for servers that the tool can belong to. */
const createLookUp =
  ({ gateway, servers }: NameSources) =>
  async (session: CallSession, { name, isFresh = false }: NameQuery, signal: AbortSignal): Promise<ToolAddress | undefined> => {
    const known = session.names?.get(name)
    if (known !== undefined) return known
    const { grants } = await gateway.grants({ session: session.id }, { signal })
    const addresses = await Promise.all(
      grants.map(async ({ server }) => {
        const upstream = servers.find(server, session.id)
        const isCandidate = upstream !== undefined && name.startsWith(exposedPrefix(server))
        return buildAddresses(server, isCandidate ? await readListing(upstream, isFresh, signal) : upstream?.lastListing)
      }),
    )
    session.names = createNameTable(addresses.flat())
    return session.names.get(name)
  }

export interface CallServices {
  readonly gateway: Calls<typeof gatewayBroker>
  readonly servers: Servers
  readonly recorder: Recorder
  readonly inFlight: InFlightCalls
}

/** The caller's side of a call: its signal and its record. */
interface CallContext extends Pick<Pending, 'setTarget'> {
  /** Aborts with `Abandoned`. */
  readonly signal: AbortSignal
  readonly giveUp: (reason: Abandoned) => void
}

/** Milliseconds. A more recent list has every existing tool. */
const staleList = 5_000

interface ResolvedCall {
  readonly session: CallSession
  readonly call: ToolCall
  readonly address: ToolAddress
  /** The address comes from the session's table and is not parsed from the name. */
  readonly isKnown: boolean
  readonly context: CallContext
  readonly onSent: (wasSent: boolean) => void
}

/** A call that cannot be recorded is not made. */
const trySetTarget = (recorder: Recorder, { setTarget }: CallContext, address: ToolAddress): boolean => {
  if (!recorder.isWritable) return false
  try {
    setTarget(address)
    return true
  } catch {
    return false
  }
}

type LookUp = ReturnType<typeof createLookUp>

/** A name that is in no table may belong to a tool that its server has just declared. */
const resolveAfterRelist = async (
  upstream: Upstream,
  { session, call, context: { signal } }: ResolvedCall,
  lookUp: LookUp,
): Promise<ToolAddress> => {
  const { at } = await upstream.listing(signal)
  const address = await lookUp(session, { name: call.name, isFresh: performance.now() - at > staleList }, signal)
  if (address === undefined) throw new NotDeclared()
  return address
}

const makeCall = async (resolved: ResolvedCall, { gateway, servers, inFlight }: CallServices, lookUp: LookUp): Promise<Outcome> => {
  const { session, call, address, isKnown, context, onSent } = resolved
  const { server, tool } = address
  const { signal, giveUp } = context
  const flight = { session, address, giveUp }
  inFlight.enter(flight)
  try {
    const verdict = await gateway.authorize({ session: session.id, server, tool }, { signal })
    if (!verdict.allowed) return refuse(address, verdict.code, { retryAfter: verdict.retryAfter })
    session.callsPerMinute = verdict.callsPerMinute
    // No server is started for an ended session.
    signal.throwIfAborted()
    const upstream = servers.find(server, session.id)
    if (upstream === undefined) return refuse(address, 'server-unavailable')
    const target = isKnown ? address : await resolveAfterRelist(upstream, resolved, lookUp)
    // Only the tool that was authorized is called.
    if (target.server !== server || target.tool !== tool) return refuse(address, 'not-declared')
    const admit = (): Promise<void> => inFlight.admit(flight)
    const request = { session: session.id, tool, args: call.arguments, pin: verdict.pin, admit, onSent }
    return interpretAnswer(address, await callTool(upstream, request, signal))
  } finally {
    inFlight.leave(flight)
  }
}

export const createCall = (services: CallServices) => {
  const lookUp = createLookUp(services)
  return async (session: CallSession, call: ToolCall, context: CallContext): Promise<Outcome> => {
    let address = parseName(call.name)
    let wasSent = false
    const onSent = (isSent: boolean): void => void (wasSent = isSent)
    try {
      const known = await lookUp(session, { name: call.name }, context.signal)
      address = known ?? address
      if (address === null) return refuseName(call.name)
      if (!trySetTarget(services.recorder, context, address)) return refuse(address, 'audit-unwritable')
      return await makeCall({ session, call, address, isKnown: known !== undefined, context, onSent }, services, lookUp)
    } catch (error) {
      return interpretError(address ?? { server: '', tool: call.name }, error, { signal: context.signal, wasSent })
    }
  }
}
