// A tool call from its name to its outcome: authorized now, by the gateway; declared now, by the server, as it was approved;
// then made, once.
import type { gatewayBroker, ToolCall } from '@gatehouse/contracts'
import { type Abandoned, parseName, type ToolAddress } from '@gatehouse/kernel'
import type { Calls } from '@gatehouse/rpc'
import { createLookUp } from '../names/look-up.ts'
import { NotDeclared } from '../upstream/failure.ts'
import type { Servers } from '../upstream/servers.ts'
import type { Upstream } from '../upstream/upstream.ts'
import { explain } from './explain.ts'
import type { InFlight } from './in-flight.ts'
import { interpret } from './interpret.ts'
import type { Outcome } from './outcome.ts'
import type { Pending, Recorder } from './record.ts'
import { refuse, refuseName } from './refuse.ts'
import type { CallSession } from './session.ts'

export interface CallTools {
  readonly gateway: Calls<typeof gatewayBroker>
  readonly servers: Servers
  readonly recorder: Recorder
  readonly inFlight: InFlight
}

/** Who waits for the answer, and what it will be recorded by. */
export interface Waiter extends Pick<Pending, 'aim'> {
  /** Aborts with `Abandoned`. */
  readonly signal: AbortSignal
  readonly giveUp: (reason: Abandoned) => void
}

/** A list that is younger has what there is. */
const staleList = 5_000

interface Aimed {
  readonly session: CallSession
  readonly call: ToolCall
  readonly address: ToolAddress
  /** The address is that of the session's table, not what the name seems to mean. */
  readonly isKnown: boolean
  readonly waiter: Waiter
  readonly onSent: (wasSent: boolean) => void
}

/** What cannot be recorded is not called. */
const isNoted = (recorder: Recorder, { aim }: Waiter, address: ToolAddress): boolean => {
  if (!recorder.isWritable) return false
  try {
    aim(address)
    return true
  } catch {
    return false
  }
}

type LookUp = ReturnType<typeof createLookUp>

/** A name that is in no table may be that of a tool which its server declares since a moment ago, if the server can be asked. */
const insist = async (upstream: Upstream, { session, call, waiter: { signal } }: Aimed, lookUp: LookUp): Promise<ToolAddress> => {
  const { at } = await upstream.listing(signal)
  const address = await lookUp(session, { name: call.name, isFresh: performance.now() - at > staleList }, signal)
  if (address === undefined) throw new NotDeclared()
  return address
}

const makeCall = async (aimed: Aimed, { gateway, servers, inFlight }: CallTools, lookUp: LookUp): Promise<Outcome> => {
  const { session, call, address, isKnown, waiter, onSent } = aimed
  const { server, tool } = address
  const { signal, giveUp } = waiter
  const flight = { session, address, giveUp }
  inFlight.enter(flight)
  try {
    const verdict = await gateway.authorize({ session: session.id, server, tool }, { signal })
    if (!verdict.allowed) return refuse(address, verdict.code, { retryAfter: verdict.retryAfter })
    session.callsPerMinute = verdict.callsPerMinute
    // Nobody starts a server of their own for a session that is over.
    signal.throwIfAborted()
    const upstream = servers.find(server, session.id)
    if (upstream === undefined) return refuse(address, 'server-unavailable')
    const meant = isKnown ? address : await insist(upstream, aimed, lookUp)
    // What was authorized is what is called.
    if (meant.server !== server || meant.tool !== tool) return refuse(address, 'not-declared')
    const admit = (): Promise<void> => inFlight.admit(flight)
    const request = { session: session.id, tool, args: call.arguments, pin: verdict.pin, admit, onSent }
    return interpret(address, await upstream.call(request, signal))
  } finally {
    inFlight.leave(flight)
  }
}

export const createCall = (tools: CallTools) => {
  const lookUp = createLookUp(tools)
  return async (session: CallSession, call: ToolCall, waiter: Waiter): Promise<Outcome> => {
    let address = parseName(call.name)
    let wasSent = false
    const onSent = (isSent: boolean): void => void (wasSent = isSent)
    try {
      const found = await lookUp(session, { name: call.name }, waiter.signal)
      address = found ?? address
      if (address === null) return refuseName(call.name)
      if (!isNoted(tools.recorder, waiter, address)) return refuse(address, 'audit-unwritable')
      return await makeCall({ session, call, address, isKnown: found !== undefined, waiter, onSent }, tools, lookUp)
    } catch (error) {
      return explain(address ?? { server: '', tool: call.name }, error, { signal: waiter.signal, wasSent })
    }
  }
}
