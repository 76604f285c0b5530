// Reads the JSON body of a request. Size and structure are checked while it arrives, before anything is parsed.
import type { IncomingMessage } from 'node:http'
import { type JsonBounds, limits, ServiceError } from '@gatehouse/contracts'
import { type JsonFault, JsonScanner, refuseJsonBody } from '../json/json-scanner.ts'

const phrases = {
  cancelled: 'the request was cancelled',
  timeout: 'the request timed out',
  revoked: 'the grant was revoked',
  frozen: 'an operator stopped all requests',
} as const

/** The reason why a request was aborted: its caller disconnected, it timed out, its grant was revoked, a freeze began, or the unit stops. */
export class Abandoned extends Error {
  readonly code: keyof typeof phrases

  constructor(code: keyof typeof phrases) {
    super(phrases[code])
    this.name = 'Abandoned'
    this.code = code
  }
}

const declaredLength = ({ headers }: IncomingMessage): number => Number(headers['content-length'] ?? 0)

const deadlineError = (): ServiceError =>
  new ServiceError('deadline', { detail: `the body did not arrive within ${limits.requestTime / 1000} s` })

/** Rejects with `too-large`, `malformed`, `deadline`, or `Abandoned` when the caller disconnects before the end. */
export const readBody = (request: IncomingMessage, bounds: JsonBounds): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    const scanner = new JsonScanner(bounds)
    const refuse = (fault: JsonFault): void => {
      chunks.length = 0
      // The rest is read and dropped, so that the caller can still read the response. It occupies one connection of its own session.
      request.resume()
      reject(refuseJsonBody(fault, bounds))
    }
    const onDisconnect = (): void => reject(new Abandoned('cancelled'))
    if (declaredLength(request) > bounds.bytes) return refuse('bytes')
    const timer = setTimeout(() => reject(deadlineError()), limits.requestTime)
    request.once('close', () => clearTimeout(timer))
    request.on('data', (chunk: Buffer) => {
      const fault = scanner.push(chunk)
      if (fault === undefined) chunks.push(chunk)
      else refuse(fault)
    })
    request.on('end', () => {
      clearTimeout(timer)
      request.off('close', onDisconnect)
      resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks))
    })
    request.on('close', onDisconnect)
    request.on('error', onDisconnect)
  })
