// One thing that a unit lacks: a change to ask for, one that waits for another, or one that no change can bring.
import type { Kind } from '@gatehouse/contracts'

export interface Step {
  readonly kind: Kind
  readonly group: string
  readonly after: Record<string, unknown>
  /** What is there now, for people; null for nothing. */
  readonly before: Record<string, unknown> | null
  /** What must be there first. */
  readonly waitsFor?: string
}

export interface Plan {
  readonly steps: readonly Step[]
  /** Differences that only somebody with the right to it can mend, each a sentence with the command. */
  readonly others: readonly string[]
}
