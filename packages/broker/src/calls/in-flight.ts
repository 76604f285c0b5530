// Calls that run now. A grant that is taken away, or a freeze, ends them too, not only the next ones: from the moment that
// this side hears of it, no call is sent that was not judged again.
import { setTimeout as pause } from 'node:timers/promises'
import { type EventPayload, type gatewayBroker, limits, type Result } from '@gatehouse/contracts'
import { backoff } from '@gatehouse/kernel'
import type { Calls } from '@gatehouse/rpc'
import type { ToolAddress } from '../names/exposed-name.ts'
import { Abandoned } from '../upstream/abandoned.ts'
import type { CallSession } from './session.ts'

export interface Flight {
  readonly session: CallSession
  readonly address: ToolAddress
  /** Ends the call, here and at its server. */
  readonly giveUp: (reason: Abandoned) => void
}

type Holding = Result<typeof gatewayBroker, 'grants'>

/** The flight is judged again; a later doubt takes the place of an earlier one. */
interface Doubt {
  readonly round: object
  readonly over: PromiseWithResolvers<void>
}

const reasonAgainst = ({ frozen, grants }: Holding, { server, tool }: ToolAddress): Abandoned | undefined => {
  if (frozen) return new Abandoned('frozen')
  const grant = grants.find((each) => each.server === server)
  const isGranted = grant !== undefined && (grant.tools.length === 0 || grant.tools.includes(tool))
  return isGranted ? undefined : new Abandoned('revoked')
}

export class InFlight {
  readonly #gateway: Pick<Calls<typeof gatewayBroker>, 'grants'>
  readonly #flights = new Set<Flight>()
  readonly #doubts = new Map<Flight, Doubt>()

  constructor(gateway: Pick<Calls<typeof gatewayBroker>, 'grants'>) {
    this.#gateway = gateway
  }

  enter(flight: Flight): void {
    this.#flights.add(flight)
  }

  leave(flight: Flight): void {
    this.#flights.delete(flight)
    this.#clear(flight)
  }

  /** Resolves at once unless the flight is being judged again. */
  async admit(flight: Flight): Promise<void> {
    for (let doubt = this.#doubts.get(flight); doubt !== undefined; doubt = this.#doubts.get(flight)) await doubt.over.promise
  }

  /** Of one group and server. Resolves when all of them were judged. */
  recheck({ agentGroupID, server }: EventPayload<typeof gatewayBroker, 'grant-changed'>): Promise<void> {
    return this.#judgeAgain(({ session, address }) => session.agentGroupID === agentGroupID && address.server === server)
  }

  recheckAll(): Promise<void> {
    return this.#judgeAgain(() => true)
  }

  async #judgeAgain(isTouched: (flight: Flight) => boolean): Promise<void> {
    const round = {}
    const sessions = new Map<string, Flight[]>()
    for (const flight of [...this.#flights].filter(isTouched)) {
      this.#doubts.set(flight, { round, over: this.#doubts.get(flight)?.over ?? Promise.withResolvers<void>() })
      sessions.set(flight.session.id, [...(sessions.get(flight.session.id) ?? []), flight])
    }
    await Promise.all([...sessions.values()].map((flights) => this.#judgeSession(flights, round)))
  }

  async #judgeSession(flights: readonly Flight[], round: object): Promise<void> {
    const holding = await this.#askUntilAnswered(flights, round)
    for (const flight of this.#doubted(flights, round)) {
      const reason = holding && reasonAgainst(holding, flight.address)
      if (reason !== undefined) flight.giveUp(reason)
      this.#clear(flight)
    }
  }

  /** Those that are still there, and that no later round judges. */
  #doubted(flights: readonly Flight[], round: object): Flight[] {
    return flights.filter((flight) => this.#doubts.get(flight)?.round === round)
  }

  /** Undefined when nobody waits for the answer any more: the time of a call bounds it. */
  async #askUntilAnswered(flights: readonly Flight[], round: object): Promise<Holding | undefined> {
    const pauses = backoff({ first: limits.rpcRetryFirst, most: limits.rpcRetryMost })
    for (;;) {
      const [flight] = this.#doubted(flights, round)
      if (flight === undefined) return undefined
      const holding = await this.#gateway.grants({ session: flight.session.id }).catch(() => undefined)
      if (holding !== undefined) return holding
      await pause(pauses.next(), undefined, { ref: false })
    }
  }

  #clear(flight: Flight): void {
    this.#doubts.get(flight)?.over.resolve()
    this.#doubts.delete(flight)
  }
}
