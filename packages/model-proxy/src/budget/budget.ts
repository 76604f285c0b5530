// Tokens that each group took since midnight, UTC, by a clock that never goes back: reserved before a request is sent and settled
// when it has ended, so that requests at the same time cannot share what is left, and one that is given up is not free.
import type { Clock } from '@gatehouse/kernel'

export interface Reservation {
  readonly tokens: number
  /** What it took in truth. Only the first counts. */
  settle(tokens: number): void
}

export interface Spending {
  readonly agentGroupID: string
  readonly tokens: number
  readonly reserved: number
}

interface Account {
  day: string
  spent: number
  reserved: number
}

export const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10)

export class Budget {
  readonly #clock: Clock
  readonly #accounts = new Map<string, Account>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Undefined where less is left than is asked for. @param most of a day; undefined for no limit */
  reserve(group: string, tokens: number, most: number | undefined): Reservation | undefined {
    const account = this.#today(group)
    if (most !== undefined && account.spent + account.reserved + tokens > most) return undefined
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
    const { spent, reserved } = this.#today(group)
    return Math.max(0, most - spent - reserved)
  }

  /** Also without what is reserved, no more is left. */
  isOver(group: string, most: number): boolean {
    return this.#today(group).spent >= most
  }

  spend(group: string, tokens: number): void {
    this.#today(group).spent += tokens
  }

  all(): Spending[] {
    return [...this.#accounts.keys()].map((agentGroupID) => {
      const { spent, reserved } = this.#today(agentGroupID)
      return { agentGroupID, tokens: spent, reserved }
    })
  }

  /** What is reserved goes on to the next day; what was spent stays behind. */
  #today(group: string): Account {
    const day = dayOf(this.#clock())
    const account = this.#accounts.get(group) ?? { day, spent: 0, reserved: 0 }
    if (account.day !== day) Object.assign(account, { day, spent: 0 })
    this.#accounts.set(group, account)
    return account
  }
}
