// The error for a process that cannot start. It is reported to the supervisor, which ends the unit with its exit code.
import { type Code, exits, isServiceError } from '@gatehouse/contracts'

export type ExitCode = (typeof exits)[keyof typeof exits]

export interface RefusalOptions {
  /** What is wrong, for people; never contains a secret. */
  readonly detail: string
  /** What to do about it. */
  readonly hint?: string | undefined
  readonly cause?: unknown
}

const brand = Symbol.for('gatehouse.Refusal')

/** An error that ends the unit. `exit` is one of the exit codes in contracts. */
export class Refusal extends Error {
  readonly [brand] = true
  readonly exit: ExitCode
  readonly detail: string
  readonly hint: string | undefined

  constructor(exit: ExitCode, options: RefusalOptions) {
    super(options.detail, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = `Refusal [${exit}]`
    this.exit = exit
    this.detail = options.detail
    this.hint = options.hint
  }
}

/** Works across bundles, where `instanceof` does not. */
export const isRefusal = (value: unknown): value is Refusal => typeof value === 'object' && value !== null && brand in value

/** Transient errors count as a crash, which the supervisor retries; every other service error ends the unit. */
const transientCodes: readonly string[] = ['unavailable', 'deadline', 'internal', 'rate-limited', 'queue-full'] satisfies Code[]

/** The refusal that an error thrown at start stands for; undefined when it is a crash. */
export const toRefusal = (error: unknown): { exit: ExitCode; detail: string; hint?: string } | undefined => {
  if (!isRefusal(error) && (!isServiceError(error) || transientCodes.includes(error.code))) return undefined
  const { detail, hint } = error
  return { exit: isRefusal(error) ? error.exit : exits.childCannotStart, detail, ...(hint === undefined ? {} : { hint }) }
}
