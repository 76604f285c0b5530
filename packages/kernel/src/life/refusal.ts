// Why a process cannot start: told to the supervisor, which ends the unit with this exit code.
import { type Code, exits, isServiceError } from '@gatehouse/contracts'

export type ExitCode = (typeof exits)[keyof typeof exits]

export interface RefusalOptions {
  /** What was expected and what was got, for a human; never a secret. */
  readonly detail: string
  /** What to do about it. */
  readonly hint?: string | undefined
  readonly cause?: unknown
}

const brand = Symbol.for('gatehouse.Refusal')

/** `exit` is one of `exits` of contracts. */
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

/** What may pass by itself is a crash that the supervisor retries; every other named error ends the start. */
const passing: readonly string[] = ['unavailable', 'deadline', 'internal', 'rate-limited', 'queue-full'] satisfies Code[]

/** The refusal behind an error thrown at start; undefined when it is a crash. */
export const refusalOf = (error: unknown): { exit: ExitCode; detail: string; hint?: string } | undefined => {
  if (!isRefusal(error) && (!isServiceError(error) || passing.includes(error.code))) return undefined
  const { detail, hint } = error
  return { exit: isRefusal(error) ? error.exit : exits.childCannotStart, detail, ...(hint === undefined ? {} : { hint }) }
}
