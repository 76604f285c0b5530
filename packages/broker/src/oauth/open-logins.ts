// Logins that a person has begun and not finished. What the browser brings back is kept for whoever began the login: nobody else can
// finish it. In memory alone: a restart ends them all.
import { randomBytes } from 'node:crypto'
import { limits, type ServerName, ServiceError } from '@gatehouse/contracts'
import { sha256 } from '@gatehouse/kernel'
import type { Authority } from './discover.ts'
import type { OAuthClient } from './client.ts'
import type { Login } from './login.ts'

/** The query of the address that a browser came back to. */
export interface LoginAnswer {
  readonly code?: string | undefined
  readonly error?: string | undefined
  readonly iss?: string | undefined
}

export interface Begun {
  readonly name: ServerName
  readonly binding: Login['binding']
  /** Who began it, and alone can finish it. */
  readonly principal: string
  readonly authority: Authority
  readonly client: OAuthClient
  readonly redirect: string
  readonly verifier: string
  /** As it was asked for. */
  readonly scope: string | undefined
}

interface OpenLogin {
  readonly begun: Begun
  readonly state: string
  readonly timer: NodeJS.Timeout
  answer: LoginAnswer | undefined
}

const random = (): string => randomBytes(32).toString('base64url')

export class OpenLogins {
  readonly #open = new Map<string, OpenLogin>()

  /** For the address that the browser is sent to. */
  newState(): string {
    return random()
  }

  /** The id names the login to whoever began it; the state does so to the browser. Neither follows from the other. */
  add(begun: Begun, state: string): string {
    for (const [id, { begun: other }] of this.#open) if (other.name === begun.name && other.principal === begun.principal) this.#remove(id)
    if (this.#open.size >= limits.loginsOpen)
      throw new ServiceError('rate-limited', {
        detail: `expected at most ${limits.loginsOpen} logins at once, got more`,
        hint: 'finish one of them, or try again in a few minutes',
      })
    const id = random()
    const timer = setTimeout(() => this.#remove(id), limits.loginTime)
    timer.unref()
    this.#open.set(id, { begun, state: sha256(state), timer, answer: undefined })
    return id
  }

  /** Takes what a browser brought back, once. False where no login waits for it. */
  answer(state: string, answer: LoginAnswer): boolean {
    const digest = sha256(state)
    const found = [...this.#open.values()].find((login) => login.state === digest)
    if (found === undefined || found.answer !== undefined) return false
    found.answer = answer
    return true
  }

  /** Undefined while nothing was brought back. What was is given out once. Throws `not-found` to everybody else. */
  take(id: string, principal: string): { readonly begun: Begun; readonly answer: LoginAnswer } | undefined {
    const found = this.#open.get(id)
    if (found === undefined || found.begun.principal !== principal)
      throw new ServiceError('not-found', {
        detail: 'there is no such login: it has ended, or somebody else began it',
        hint: 'begin again',
      })
    if (found.answer === undefined) return undefined
    this.#remove(id)
    return { begun: found.begun, answer: found.answer }
  }

  close(): void {
    for (const id of this.#open.keys()) this.#remove(id)
  }

  #remove(id: string): void {
    clearTimeout(this.#open.get(id)?.timer)
    this.#open.delete(id)
  }
}
