// Error codes, exit codes, and the one error that crosses a border. It never carries a secret or a stack.
/** Every error code that a caller can see, with its HTTP status and its exit code.
 * Problem documents, RPC errors and CLI exits are renderings of one row. */
export interface CodeRow {
  /** HTTP status of the admin API. */
  readonly status: number
  /** Exit code of svcctl. */
  readonly exit: number
  /** One constant sentence per code. */
  readonly title: string
}

export const codes = {
  invalid: { status: 422, exit: 2, title: 'The request does not fit its schema' },
  malformed: { status: 400, exit: 2, title: 'The request cannot be read' },
  unauthorized: { status: 401, exit: 3, title: 'A valid bearer token is required' },
  forbidden: { status: 403, exit: 6, title: 'This token may not do that' },
  'self-approval': { status: 403, exit: 6, title: 'A requester may not decide its own change' },
  'host-refused': { status: 403, exit: 6, title: 'The Host or Origin header names another site' },
  'not-found': { status: 404, exit: 4, title: 'Not found' },
  'method-not-allowed': { status: 405, exit: 2, title: 'The path does not answer this method' },
  'too-large': { status: 413, exit: 2, title: 'The request is too large' },
  'unsupported-media-type': { status: 415, exit: 2, title: 'The body must be application/json' },
  'change-refused': { status: 422, exit: 5, title: 'The verifier refused the change' },
  'change-stale': { status: 409, exit: 5, title: 'The change was made against another state' },
  'digest-mismatch': { status: 409, exit: 5, title: 'The approved digest is not that of the change' },
  'change-already-decided': { status: 409, exit: 5, title: 'The change was already decided' },
  conflict: { status: 409, exit: 5, title: 'The request conflicts with the present state' },
  'precondition-failed': { status: 412, exit: 5, title: 'The entity tag has moved' },
  'rate-limited': { status: 429, exit: 8, title: 'Too many requests' },
  'queue-full': { status: 429, exit: 8, title: 'The queue is full' },
  'upstream-failed': { status: 502, exit: 7, title: 'The tool server failed' },
  'mcp-disabled': { status: 503, exit: 9, title: 'Tool servers are not enabled on this unit' },
  'no-sandbox': { status: 503, exit: 9, title: 'This unit launches no sandboxes' },
  frozen: { status: 503, exit: 9, title: 'The unit is frozen' },
  unavailable: { status: 503, exit: 9, title: 'A part of the unit is starting or stopping' },
  'audit-unwritable': { status: 503, exit: 9, title: 'The journal cannot be written' },
  deadline: { status: 504, exit: 9, title: 'The answer did not come in time' },
  internal: { status: 500, exit: 1, title: 'Internal error' },
} as const satisfies Record<string, CodeRow>

export type Code = keyof typeof codes

/** What a tool call on `tools.sock` may answer inside its result. */
export const toolErrorCodes = [
  'not-granted',
  'not-declared',
  'definition-changed',
  'revoked',
  'frozen',
  'server-unavailable',
  'timeout',
  'too-large',
  'cancelled',
  'busy',
  'rate-limited',
  'upstream-error',
  'input-required-unsupported',
  'audit-unwritable',
] as const

export type ToolErrorCode = (typeof toolErrorCodes)[number]

/** Exit codes of the daemon. */
export const exits = {
  stopped: 0,
  addressInUse: 69,
  childCannotStart: 70,
  stateInUse: 75,
  noPermission: 77,
  configuration: 78,
} as const

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
