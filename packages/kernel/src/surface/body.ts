// Reads a request's body, counted while it arrives.
import type { IncomingMessage } from 'node:http'
import { limits, ServiceError } from '@gatehouse/contracts'
import { Abandoned } from './abandoned.ts'

const tooLarge = (most: number): ServiceError =>
  new ServiceError('too-large', { detail: `expected a body of at most ${most} bytes, got more`, hint: 'send less at once' })

const declared = ({ headers }: IncomingMessage): number => Number(headers['content-length'] ?? 0)

const tooSlow = (): ServiceError =>
  new ServiceError('deadline', { detail: `expected the whole body within ${limits.requestTime / 1000} s` })

/** Rejects with `too-large`, with `deadline`, or `Abandoned` when the caller leaves before the end. */
export const readBody = (request: IncomingMessage, most: number): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    const refuse = (): void => {
      chunks.length = 0
      // The rest is read and dropped, so that the caller lives to read the answer; it holds one connection of its own session.
      request.resume()
      reject(tooLarge(most))
    }
    const left = (): void => reject(new Abandoned('cancelled'))
    if (declared(request) > most) return refuse()
    const timer = setTimeout(() => reject(tooSlow()), limits.requestTime)
    request.once('close', () => clearTimeout(timer))
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size <= most) chunks.push(chunk)
      else refuse()
    })
    request.on('end', () => {
      clearTimeout(timer)
      request.off('close', left)
      resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks))
    })
    request.on('close', left)
    request.on('error', left)
  })
