// Reads a request's JSON body: its bytes and its structure are bounded while it arrives, before anything is parsed.
import type { IncomingMessage } from 'node:http'
import { type JsonBounds, limits, ServiceError } from '@gatehouse/contracts'
import { type JsonFault, JsonScanner, refuseJsonBody } from '../json/json-scanner.ts'

const phrases = {
  cancelled: 'the caller gave up',
  timeout: 'it took too long',
  revoked: 'the grant was revoked',
  frozen: 'an operator stopped all requests',
} as const

/** Why the service ended a request: its caller left, it timed out, its grant was revoked, a freeze began, or the unit stops. */
export class Abandoned extends Error {
  readonly code: keyof typeof phrases

  constructor(code: keyof typeof phrases) {
    super(phrases[code])
    this.name = 'Abandoned'
    this.code = code
  }
}

const declared = ({ headers }: IncomingMessage): number => Number(headers['content-length'] ?? 0)

const tooSlow = (): ServiceError =>
  new ServiceError('deadline', { detail: `expected the whole body within ${limits.requestTime / 1000} s` })

/** Rejects with `too-large`, `malformed`, `deadline`, or `Abandoned` when the caller leaves before the end. */
export const readBody = (request: IncomingMessage, bounds: JsonBounds): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    const scanner = new JsonScanner(bounds)
    const refuse = (fault: JsonFault): void => {
      chunks.length = 0
      // The rest is read and dropped, so that the caller lives to read the answer; it holds one connection of its own session.
      request.resume()
      reject(refuseJsonBody(fault, bounds))
    }
    const left = (): void => reject(new Abandoned('cancelled'))
    if (declared(request) > bounds.bytes) return refuse('bytes')
    const timer = setTimeout(() => reject(tooSlow()), limits.requestTime)
    request.once('close', () => clearTimeout(timer))
    request.on('data', (chunk: Buffer) => {
      const fault = scanner.push(chunk)
      if (fault === undefined) chunks.push(chunk)
      else refuse(fault)
    })
    request.on('end', () => {
      clearTimeout(timer)
      request.off('close', left)
      resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks))
    })
    request.on('close', left)
    request.on('error', left)
  })
