// What a check is, and what it may look at. No check writes anything.
import * as v from 'valibot'
import type { Environment } from '../command.ts'
import type { Unit } from '../connection/ask-unit.ts'
import type { Place } from '../journal/unit-directory.ts'

export type { Unit }

export const Finding = v.strictObject({
  check: v.string(),
  status: v.picklist(['pass', 'warn', 'fail']),
  detail: v.string(),
  /** A command line that mends it when typed. */
  fix: v.optional(v.string()),
  /** What to do where no line mends it. */
  advice: v.optional(v.string()),
})
export type Finding = v.InferOutput<typeof Finding>

export type Verdict = Omit<Finding, 'check'>

export interface Site {
  readonly environment: Environment
  readonly address: string
  /** Of the flag. */
  readonly tokenFile: string | undefined
  readonly insecure: boolean
  /** How the state directory was found. */
  readonly place: Place
  /** The state directory that is meant; undefined where none may be read for this unit. */
  readonly stateDir: string | undefined
  /** Label under which fixes act. */
  readonly self: string
  readonly unit: Unit
}

export interface Check {
  /** In kebab case. */
  readonly name: string
  /** No verdict: it does not apply here. */
  readonly run: (site: Site) => Promise<Verdict[]>
}

export const pass = (detail: string): Verdict => ({ status: 'pass', detail })

/** A line to type, or advice. */
type Remedy = string | { readonly advice: string }

const remedied = (remedy: Remedy): Pick<Verdict, 'fix' | 'advice'> => (typeof remedy === 'string' ? { fix: remedy } : remedy)
export const warn = (detail: string, remedy: Remedy): Verdict => ({ status: 'warn', detail, ...remedied(remedy) })
export const fail = (detail: string, remedy: Remedy): Verdict => ({ status: 'fail', detail, ...remedied(remedy) })

/** What every detail of such a warning begins with. */
export const notCheckedPrefix = 'not checked: '
/** Nothing is known of it, so it is no pass. */
export const notChecked = (why: string, remedy: Remedy): Verdict => warn(`${notCheckedPrefix}${why}`, remedy)
export const notAnswered: Verdict = notChecked('the unit does not answer', { advice: 'start the unit, or name its address with --addr' })
export const noStateDirectory: Verdict = notChecked('no state directory of this unit may be read', {
  advice: 'see the check state-directory',
})

/** With `--sandbox off` neither agents nor local tool servers are started here: there is no runner. */
export const launchesNothing = (unit: Unit): boolean => unit.reached && unit.status.sandbox.status === 'off'

/** A word of a command line that a shell takes as it is. */
export const quoted = (word: string): string => (/^[A-Za-z0-9_./:@=-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)
