// The daily token budget of each group: tokens are reserved before a request and settled after it.
import type { Usage } from './formats/format.ts'

export interface Reservation {
  readonly tokens: number
  /** Settles the reservation with the actual usage. Only the first call counts. */
  settle(tokens: number): void
}

export interface Spending {
  readonly agentGroupID: string
  readonly tokens: number
  readonly reserved: number
}

interface Account {
  /** The day of the group's last request. */
  day: string
  /** Spent by day, in the order in which the days came. More than one, so that none begins again when the clock is set back and forward. */
  readonly days: Map<string, number>
  reserved: number
}

/** Number of days stored for each group. */
const maxDays = 4

export const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10)

export class Budget {
  readonly #clock: () => number
  readonly #accounts = new Map<string, Account>()

  constructor(clock: () => number) {
    this.#clock = clock
  }

  /** Undefined where less is left than is asked for. @param most of a day; undefined for no limit */
  reserve(group: string, tokens: number, most: number | undefined): Reservation | undefined {
    if (most !== undefined && this.left(group, most) < tokens) return undefined
    const account = this.#account(group)
    account.reserved += tokens
    let isOpen = true
    return {
      tokens,
      settle: (taken) => {
        if (!isOpen) return
        isOpen = false
        account.reserved -= tokens
        this.spend(group, taken)
      },
    }
  }

  left(group: string, most: number): number {
    return Math.max(0, most - this.#spent(group) - this.#account(group).reserved)
  }

  /** True if the limit is reached even without reservations. */
  isOver(group: string, most: number): boolean {
    return this.#spent(group) >= most
  }

  spend(group: string, tokens: number): void {
    const spent = this.#spent(group)
    const { day, days } = this.#account(group)
    days.set(day, spent + tokens)
    for (const oldest of days.keys()) if (days.size > maxDays) days.delete(oldest)
  }

  /** Adds the usage of an earlier process, of today or of a later day, which then counts for that day and for today. */
  recall(group: string, tokens: number, day: string): void {
    const { days } = this.#account(group)
    for (const one of new Set([day, dayOf(this.#clock())])) days.set(one, (days.get(one) ?? 0) + tokens)
  }

  all(): Spending[] {
    return [...this.#accounts].map(([agentGroupID, { reserved }]) => ({ agentGroupID, tokens: this.#spent(agentGroupID), reserved }))
  }

  /** Usage of today. If the clock was set back to an earlier day, at least the usage of the day that it left. */
  #spent(group: string): number {
    const account = this.#account(group)
    const { day, days } = account
    const today = dayOf(this.#clock())
    if (today < day) days.set(today, Math.max(days.get(today) ?? 0, days.get(day) ?? 0))
    account.day = today
    return days.get(today) ?? 0
  }

  /** Reservations carry over to the next day. */
  #account(group: string): Account {
    const account = this.#accounts.get(group) ?? { day: '', days: new Map<string, number>(), reserved: 0 }
    this.#accounts.set(group, account)
    return account
  }
}

/** How far a request got. */
export interface Course {
  /** `unsent`: no provider has seen it. `failed`: a provider answered with an error. `silent`: its answer never began. */
  readonly end: 'unsent' | 'failed' | 'silent' | 'given-up' | 'cut' | 'whole'
  readonly usage: Usage
  readonly bytesOut: number
  /** Whether the answer was a stream of events, which are long for few tokens. */
  readonly streamed: boolean
}

export interface Tokens {
  readonly input: number
  readonly output: number
  /** Estimates the usage that the provider did not report. */
  readonly estimated: boolean
}

const bytesPerToken = { stream: 40, whole: 4 } as const
const nothing: Tokens = { input: 0, output: 0, estimated: false }

/** @param reserved what was reserved for the request itself and for its answer */
export const reckon = ({ end, usage, bytesOut, streamed }: Course, reserved: { input: number; output: number }): Tokens => {
  if (end === 'unsent' || end === 'failed') return nothing
  if (end === 'silent') return { input: reserved.input, output: 0, estimated: true }
  // The provider may have generated more before it noticed the abort.
  if (end === 'given-up') return { ...reserved, estimated: true }
  const seen = Math.min(reserved.output, Math.ceil(bytesOut / bytesPerToken[streamed ? 'stream' : 'whole']))
  const input = usage.input ?? reserved.input
  if (end === 'whole' && usage.output !== undefined) return { input, output: usage.output, estimated: usage.input === undefined }
  return { input, output: Math.max(usage.output ?? 0, seen), estimated: true }
}
