// Maps any error of a connection to an `UpstreamFailure`, by codes and statuses, never by text that a server sent.
import { OutboundFailure } from '@gatehouse/outbound'
import { InsufficientScopeError, ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client'
import { AnswerRefused, type FailureKind, UpstreamFailure } from './failure.ts'

const bySystemCode: Readonly<Record<string, FailureKind>> = {
  ECONNREFUSED: 'connection-refused',
  ENOTFOUND: 'unresolved',
  EAI_AGAIN: 'unresolved',
  EAI_NODATA: 'unresolved',
  ECONNRESET: 'unreachable',
  EPIPE: 'unreachable',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  EADDRNOTAVAIL: 'unreachable',
  ETIMEDOUT: 'silent',
  UND_ERR_CONNECT_TIMEOUT: 'silent',
  UND_ERR_HEADERS_TIMEOUT: 'silent',
  UND_ERR_BODY_TIMEOUT: 'silent',
  UND_ERR_SOCKET: 'unreachable',
  ENOENT: 'command-not-found',
  EACCES: 'not-executable',
}

const isCertificate = (code: string): boolean => /^(?:CERT_|ERR_TLS_|ERR_SSL_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_)/.test(code)

const byStatus = (status: number): UpstreamFailure => {
  if (status === 401 || status === 403) return new UpstreamFailure('denied', `the server refused the credentials (HTTP ${status})`)
  return new UpstreamFailure('status', `the server answered with HTTP ${status}`)
}

const bySdkCode = (error: SdkError): UpstreamFailure | undefined => {
  if (error instanceof SdkHttpError && error.code !== SdkErrorCode.ClientHttpFailedToOpenStream) return byStatus(error.status)
  if (error.code === SdkErrorCode.RequestTimeout) return new UpstreamFailure('silent')
  if (error.code === SdkErrorCode.ConnectionClosed || error.code === SdkErrorCode.NotConnected) return new UpstreamFailure('exited')
  return undefined
}

const classifyOne = (error: unknown): UpstreamFailure | undefined => {
  if (error instanceof UpstreamFailure) return error
  if (error instanceof OutboundFailure) return error.kind === 'too-large' ? new AnswerRefused('bytes') : new UpstreamFailure(error.kind)
  if (error instanceof InsufficientScopeError) return new UpstreamFailure('scope')
  if (error instanceof SdkError) return bySdkCode(error)
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
  if (code === undefined) return undefined
  const kind = isCertificate(code) ? 'certificate' : bySystemCode[code]
  return kind === undefined ? undefined : new UpstreamFailure(kind)
}

/** Looks along the causes for what is known; the rest is a server that does not keep the protocol. */
export const classify = (error: unknown): UpstreamFailure => {
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 8; at = at.cause, depth += 1) {
    const known = classifyOne(at)
    if (known !== undefined) return known
    if (at instanceof ProtocolError) break
  }
  return new UpstreamFailure('protocol')
}
