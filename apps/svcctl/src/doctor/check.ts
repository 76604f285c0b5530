// What a check is, and what it may look at. No check writes anything.
import type { Client } from '@gatehouse/client'
import type { Status } from '@gatehouse/contracts'
import * as v from 'valibot'
import type { Environment } from '../command.ts'

export const Finding = v.strictObject({
  check: v.string(),
  status: v.picklist(['pass', 'warn', 'fail', 'skip']),
  detail: v.string(),
  /** A command line that mends it when typed. */
  fix: v.optional(v.string()),
  /** What to do where no line mends it. */
  advice: v.optional(v.string()),
})
export type Finding = v.InferOutput<typeof Finding>

export type Verdict = Omit<Finding, 'check'>

/** What is known of the unit: asked for once, by all checks together. */
export type Unit =
  | { readonly reached: true; readonly client: Client; readonly status: Status }
  | { readonly reached: false; readonly error: unknown }

export interface Site {
  readonly environment: Environment
  readonly address: string
  /** Of the flag. */
  readonly tokenFile: string | undefined
  readonly insecure: boolean
  /** The state directory of this host that is meant; undefined where there is none. */
  readonly stateDir: string | undefined
  /** Label under which fixes act. */
  readonly self: string
  readonly unit: Promise<Unit>
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
export const skip = (detail: string): Verdict => ({ status: 'skip', detail })

/** A word of a command line that a shell takes as it is. */
export const quoted = (word: string): string => (/^[A-Za-z0-9_./:@=-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)
