// A tool call from its name to its outcome: authorized now, by the gateway; declared now, by the server, as it was approved;
// then made, once.
import type { gatewayBroker, ToolCall } from '@gatehouse/contracts'
import type { Abandoned } from '@gatehouse/kernel'
import type { Calls } from '@gatehouse/rpc'
import { parseName } from '../names/exposed-name.ts'
import type { Servers } from '../upstream/servers.ts'
import { explain } from './explain.ts'
import type { InFlight } from './in-flight.ts'
import { interpret } from './interpret.ts'
import type { Outcome } from './outcome.ts'
import type { Recorder } from './record.ts'
import { refuse, refuseName } from './refuse.ts'
import type { CallSession } from './session.ts'

export interface CallTools {
  readonly gateway: Calls<typeof gatewayBroker>
  readonly servers: Servers
  readonly recorder: Recorder
  readonly inFlight: InFlight
}

/** Who waits for the answer. */
export interface Waiter {
  /** Aborts with `Abandoned`. */
  readonly signal: AbortSignal
  readonly giveUp: (reason: Abandoned) => void
}

export const createCall =
  ({ gateway, servers, recorder, inFlight }: CallTools) =>
  async (session: CallSession, call: ToolCall, { signal, giveUp }: Waiter): Promise<Outcome> => {
    const address = session.names.get(call.name) ?? parseName(call.name)
    if (address === null) return refuseName(call.name)
    if (!recorder.isWritable) return refuse(address, 'audit-unwritable')
    const flight = { session, address, giveUp }
    inFlight.enter(flight)
    try {
      const verdict = await gateway.authorize({ session: session.id, server: address.server, tool: address.tool }, { signal })
      if (!verdict.allowed) return refuse(address, verdict.code)
      const upstream = servers.find(address.server, session.id)
      if (upstream === undefined) return refuse(address, 'server-unavailable')
      const request = { tool: address.tool, args: call.arguments, pin: verdict.pin, admit: () => inFlight.admit(flight) }
      return interpret(address, await upstream.call(request, signal))
    } catch (error) {
      return explain(address, error, signal)
    } finally {
      inFlight.leave(flight)
    }
  }
