// The running requests. A revocation or a freeze also ends these: once the service is notified, no request is forwarded before it has
// been checked again.
import { setTimeout as pause } from 'node:timers/promises'
import { limits, type SessionID } from '@gatehouse/contracts'
import { backoff } from '../concurrency.ts'
import type { Abandoned } from './body.ts'

export interface InFlightRequest {
  readonly session: { readonly id: SessionID }
  /** Aborts the request, here and upstream. */
  readonly giveUp: (reason: Abandoned) => void
}

/** Checks running requests. `Holding` is the state of a session at the gateway, which is enough to check all its requests. */
export interface FlightJudge<F extends InFlightRequest, Holding> {
  ask(session: SessionID): Promise<Holding>
  /** Undefined when the request may continue. */
  reasonAgainst(holding: Holding, flight: F): Abandoned | undefined
}

/** The request is being checked again; a later check replaces an earlier one. */
interface Doubt {
  readonly round: object
  readonly over: PromiseWithResolvers<void>
}

export class InFlightRequests<F extends InFlightRequest, Holding> {
  readonly #judge: FlightJudge<F, Holding>
  readonly #flights = new Set<F>()
  readonly #doubts = new Map<F, Doubt>()

  constructor(judge: FlightJudge<F, Holding>) {
    this.#judge = judge
  }

  enter(flight: F): void {
    this.#flights.add(flight)
  }

  leave(flight: F): void {
    this.#flights.delete(flight)
    this.#clear(flight)
  }

  /** Waits while the request is being checked again; otherwise resolves at once. */
  async admit(flight: F): Promise<void> {
    for (let doubt = this.#doubts.get(flight); doubt !== undefined; doubt = this.#doubts.get(flight)) await doubt.over.promise
  }

  /** Checks the selected requests again, by default all. Resolves when each has been checked. */
  async recheck(isTouched: (flight: F) => boolean = () => true): Promise<void> {
    const round = {}
    const sessions = new Map<SessionID, F[]>()
    for (const flight of [...this.#flights].filter(isTouched)) {
      this.#doubts.set(flight, { round, over: this.#doubts.get(flight)?.over ?? Promise.withResolvers<void>() })
      sessions.set(flight.session.id, [...(sessions.get(flight.session.id) ?? []), flight])
    }
    await Promise.all([...sessions].map(([session, flights]) => this.#judgeSession(session, flights, round)))
  }

  async #judgeSession(session: SessionID, flights: readonly F[], round: object): Promise<void> {
    const answer = await this.#askUntilAnswered(session, () => this.#doubted(flights, round).length > 0)
    for (const flight of this.#doubted(flights, round)) {
      const reason = answer && this.#judge.reasonAgainst(answer.holding, flight)
      if (reason !== undefined) flight.giveUp(reason)
      this.#clear(flight)
    }
  }

  /** Requests that still run and that no later check has taken over. */
  #doubted(flights: readonly F[], round: object): F[] {
    return flights.filter((flight) => this.#doubts.get(flight)?.round === round)
  }

  /** Undefined when no request waits for the answer anymore; the time limit of a request bounds this. */
  async #askUntilAnswered(session: SessionID, isAwaited: () => boolean): Promise<{ holding: Holding } | undefined> {
    const pauses = backoff({ first: limits.rpcRetryFirst, most: limits.rpcRetryMost })
    while (isAwaited()) {
      const answer = await this.#judge.ask(session).then(
        (holding) => ({ holding }),
        () => undefined,
      )
      if (answer !== undefined) return answer
      await pause(pauses.next(), undefined, { ref: false })
    }
    return undefined
  }

  #clear(flight: F): void {
    this.#doubts.get(flight)?.over.resolve()
    this.#doubts.delete(flight)
  }
}
