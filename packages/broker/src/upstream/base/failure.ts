// Why a tool server could not be used. Messages never contain text, headers or values that the server sent.
import { jsonBounds } from '@gatehouse/contracts'
import { describeJsonFault, type JsonFault } from '@gatehouse/kernel'
import { OutboundFailure } from '@gatehouse/outbound'

const phrases = {
  'command-not-found': 'the server could not be started: command not found',
  'not-executable': 'the server could not be started: its command may not be executed',
  'not-started': 'the server could not be started',
  'no-engine': 'the server cannot be started: this host has no container engine that can be used',
  'no-image': 'the server cannot be started: the entry names no image, and the unit has no --mcp-image',
  'image-missing': 'the server cannot be started: its image is not on this host',
  'still-running': 'the server cannot be started: it keeps files, and its process before this one has not ended yet',
  volume: 'the server cannot be started: a volume of the entry cannot be mounted',
  variable: 'a variable of the entry cannot be used',
  exited: 'the server ended',
  silent: 'the server did not answer in time',
  'connection-refused': 'the server refused the connection',
  unresolved: 'the name of the server cannot be resolved',
  unreachable: 'the server cannot be reached',
  'address-refused': 'the address of the server may not be dialled',
  proxy: 'the proxy does not connect to the server',
  certificate: 'the certificate of the server cannot be verified',
  redirected: 'the server answered with a redirect, which is never followed',
  denied: 'the server refused the credentials',
  'needs-login': 'nobody is logged in at the server, or the login has ended',
  scope: 'the server asks for more than the login allows',
  authorization: 'the authorization server of the server cannot be used',
  status: 'the server answered with an HTTP error',
  'session-lost': 'the server has forgotten the session',
  protocol: 'the server does not answer as MCP asks',
  'too-large': 'the server answered with more than may be read',
  'endless-list': 'the list of tools does not end',
  backlog: 'the server does not read what it is sent',
  retired: 'the entry of the server has changed',
} as const

export type FailureKind = keyof typeof phrases

/** After these the server did not process the request. */
export const untouched: ReadonlySet<FailureKind> = new Set([
  'connection-refused',
  'unresolved',
  'address-refused',
  'proxy',
  'certificate',
  'denied',
  'needs-login',
  'authorization',
  'session-lost',
  'backlog',
])

/** After these the connection is dead. */
export const fatal: ReadonlySet<FailureKind> = new Set([...untouched, 'exited', 'unreachable', 'silent'])

export class UpstreamFailure extends Error {
  readonly kind: FailureKind

  /** `detail` replaces the phrase; it is ours too. */
  constructor(kind: FailureKind, detail?: string) {
    super(detail ?? phrases[kind])
    this.name = 'UpstreamFailure'
    this.kind = kind
  }
}

/** The answer was over a limit and is not read. */
export class AnswerRefused extends UpstreamFailure {
  readonly fault: JsonFault

  constructor(fault: JsonFault) {
    super('too-large', `the answer of the server ${describeJsonFault(fault, jsonBounds.upstreamMessage)}`)
    this.name = 'AnswerRefused'
    this.fault = fault
  }
}

const faults = ['bytes', 'levels', 'values', 'name'] as const

/** A stream of events that was cut for a limit says so only in the text of an error of the SDK. */
export const findRefusal = (message: string): AnswerRefused | undefined => {
  if (message.includes(OutboundFailure.name)) return new AnswerRefused('bytes')
  if (!message.includes(AnswerRefused.name)) return undefined
  const fault = faults.find((one) => message.includes(describeJsonFault(one, jsonBounds.upstreamMessage)))
  return new AnswerRefused(fault ?? 'bytes')
}

/** The server answered 400 to a request of a session and also to a valid ping. */
export class SuspectedSessionLoss extends UpstreamFailure {
  constructor() {
    super('session-lost')
  }
}

/** The server answered the request, with an error of its own. Its message goes to the caller alone, redacted. */
export class UpstreamError extends Error {
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.name = 'UpstreamError'
    this.code = code
  }
}

/** The server does not declare the tool now. */
export class NotDeclared extends Error {
  constructor() {
    super('the server does not declare the tool')
    this.name = 'NotDeclared'
  }
}

/** The definition that the server declares now is not the one that the call was allowed for. */
export class DefinitionChanged extends Error {
  constructor() {
    super('the definition of the tool has changed')
    this.name = 'DefinitionChanged'
  }
}

/** There is no connection: the last attempt failed, and the next one follows after this time. */
export class NotConnected extends UpstreamFailure {
  /** Seconds. */
  readonly retryAfter: number

  constructor(last: UpstreamFailure, milliseconds: number) {
    super(last.kind, last.message)
    this.retryAfter = Math.max(1, Math.ceil(milliseconds / 1000))
  }
}

/** The rest of a batch is ignored: each message starts work before anything else has a turn. */
const maxBatch = 64

export const readMessages = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value.slice(0, maxBatch) : [value])
