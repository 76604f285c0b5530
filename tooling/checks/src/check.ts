// What a check is: a name and an act over a checkout that says what it found.
import type { Selection } from './select-tests.ts'

export interface CheckContext {
  /** The checkout that is checked; programs of `node_modules/.bin` are looked for there. */
  readonly root: string
  /** Tests with large numbers and new random cases. */
  readonly full: boolean
  /** Which tests run; all where it is absent. */
  readonly selection?: Selection
}

export interface Outcome {
  readonly ok: boolean
  /** What was found, for people; printed when the check fails. */
  readonly report: string
  /** Figures printed beside the name when the check passes. */
  readonly figures?: string
}

export interface Check {
  readonly name: string
  /** Prints while it runs, so its line comes before its output. */
  readonly loud?: boolean
  /** Starts when all before it have passed; others run beside each other. */
  readonly alone?: boolean
  run(context: CheckContext): Promise<Outcome>
}

/** Turns a list of findings into an outcome. */
export const fromFindings = (findings: readonly string[]): Outcome => ({ ok: findings.length === 0, report: findings.join('\n') })
