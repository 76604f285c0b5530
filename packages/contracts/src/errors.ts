// Error codes, exit codes, and the error type that crosses process boundaries. It never contains a secret or a stack trace.

/** An error code: problem documents, RPC errors and CLI exits are rendered from this row. */
export interface CodeRow {
  /** HTTP status of the admin API. */
  readonly status: number
  /** Exit code of svcctl. */
  readonly exit: number
  /** Constant text for the code. */
  readonly title: string
}

export const codes = {
  invalid: { status: 422, exit: 2, title: 'The request is invalid' },
  malformed: { status: 400, exit: 2, title: 'The request is malformed' },
  unauthorized: { status: 401, exit: 3, title: 'A valid bearer token is required' },
  forbidden: { status: 403, exit: 6, title: 'This token does not have permission' },
  'self-approval': { status: 403, exit: 6, title: 'A requester cannot approve their own change' },
  'host-refused': { status: 403, exit: 6, title: 'The Host or Origin header is not allowed' },
  'not-found': { status: 404, exit: 4, title: 'Not found' },
  'method-not-allowed': { status: 405, exit: 2, title: 'The method is not allowed for this path' },
  'too-large': { status: 413, exit: 2, title: 'The request is too large' },
  'unsupported-media-type': { status: 415, exit: 2, title: 'The body must be application/json' },
  'change-refused': { status: 422, exit: 5, title: 'The verifier refused the change' },
  'change-stale': { status: 409, exit: 5, title: 'The change is stale' },
  'digest-mismatch': { status: 409, exit: 5, title: 'The digest does not match the change' },
  'change-already-decided': { status: 409, exit: 5, title: 'The change was already decided' },
  conflict: { status: 409, exit: 5, title: 'The request conflicts with the current state' },
  'precondition-failed': { status: 412, exit: 5, title: 'The entity tag does not match' },
  'rate-limited': { status: 429, exit: 8, title: 'Too many requests' },
  'queue-full': { status: 429, exit: 8, title: 'The queue is full' },
  'upstream-failed': { status: 502, exit: 7, title: 'The tool server failed' },
  'mcp-disabled': { status: 503, exit: 9, title: 'Tool servers are not enabled on this unit' },
  'no-sandbox': { status: 503, exit: 9, title: 'This unit cannot launch sandboxes' },
  frozen: { status: 503, exit: 9, title: 'The unit is frozen' },
  unavailable: { status: 503, exit: 9, title: 'A part of the unit is temporarily unavailable' },
  'audit-unwritable': { status: 503, exit: 9, title: 'The journal cannot be written' },
  deadline: { status: 504, exit: 9, title: 'The request timed out' },
  internal: { status: 500, exit: 1, title: 'Internal error' },
} as const satisfies Record<string, CodeRow>

export type Code = keyof typeof codes

/** Error codes in the result of a tool call on `tools.sock`. */
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
  /** What is wrong, for people. */
  readonly detail?: string | undefined
  /** What the reader can do. */
  readonly hint?: string | undefined
  readonly errors?: readonly FieldIssue[] | undefined
  /** Additional fields of the problem document, such as `changeID` and `rule`. */
  readonly extra?: Readonly<Record<string, string>> | undefined
  /** Only logged by the process that throws it. */
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

/** The problem document (RFC 9457) of an error, with the members of the error table; never a stack or a cause. */
export const toProblem = ({ code, detail, hint, errors, extra }: ServiceError, requestId: string) => ({
  ...extra,
  type: `urn:gatehouse:error:${code}`,
  title: codes[code].title,
  status: codes[code].status,
  detail,
  code,
  ...(hint !== undefined && { hint }),
  requestId,
  ...(errors !== undefined && { errors: [...errors] }),
})

/** Works across bundles and realms, where `instanceof` does not. */
export const isServiceError = (value: unknown): value is ServiceError => typeof value === 'object' && value !== null && brand in value

/** Wraps an unknown error as `internal`, with the original error only as the cause. */
export const toServiceError = (value: unknown): ServiceError =>
  isServiceError(value) ? value : new ServiceError('internal', { cause: value })
