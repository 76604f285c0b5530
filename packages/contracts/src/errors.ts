// The one error that crosses a border. It never carries a secret or a stack.
import { type Code, codes } from './codes.ts'

const brand = Symbol.for('gatehouse.ServiceError')

export interface FieldIssue {
  /** JSON Pointer (RFC 6901) into the request body. */
  readonly pointer: string
  readonly detail: string
}

export interface ServiceErrorOptions {
  /** What was expected and what was got, for a human. */
  readonly detail?: string | undefined
  /** What to do about it. */
  readonly hint?: string | undefined
  readonly errors?: readonly FieldIssue[] | undefined
  /** Members that a code adds to its problem document, such as `changeID` and `rule`. */
  readonly extra?: Readonly<Record<string, string>> | undefined
  /** Stays in the log of the process that threw. */
  readonly cause?: unknown
}

export class ServiceError extends Error {
  readonly [brand] = true
  readonly code: Code
  readonly detail: string
  readonly hint: string | undefined
  readonly errors: readonly FieldIssue[] | undefined
  readonly extra: Readonly<Record<string, string>> | undefined

  constructor(code: Code, options: ServiceErrorOptions = {}) {
    const detail = options.detail ?? codes[code].title
    super(detail, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = `ServiceError [${code}]`
    this.code = code
    this.detail = detail
    this.hint = options.hint
    this.errors = options.errors
    this.extra = options.extra
  }
}

/** Works across bundles and realms, where `instanceof` does not. */
export const isServiceError = (value: unknown): value is ServiceError => typeof value === 'object' && value !== null && brand in value

/** Anything unknown becomes `internal`: its text stays behind as the cause. */
export const toServiceError = (value: unknown): ServiceError =>
  isServiceError(value) ? value : new ServiceError('internal', { cause: value })
