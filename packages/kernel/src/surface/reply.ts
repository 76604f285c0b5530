// What is written on the socket: a result, a list, or a problem document.
import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { codes, type ServiceError } from '@gatehouse/contracts'

export interface Reply {
  readonly status: number
  readonly type: 'application/json' | 'application/problem+json'
  readonly text: string | Buffer
  readonly bytes: number
  readonly headers?: Readonly<Record<string, string>>
}

export const jsonReply = (text: string | Buffer): Reply => ({ status: 200, type: 'application/json', text, bytes: Buffer.byteLength(text) })

export const problemReply = (error: ServiceError, headers: Readonly<Record<string, string>> = {}): Reply => {
  const { status, title } = codes[error.code]
  const { code, detail, hint, errors } = error
  const document = { type: `urn:gatehouse:error:${error.code}`, title, status, detail, code, hint, requestId: randomUUID(), errors }
  const text = JSON.stringify(document)
  return { status, type: 'application/problem+json', text, bytes: Buffer.byteLength(text), headers }
}

/** Nothing is written to a caller that is gone. */
export const send = (response: ServerResponse, { status, type, text, bytes, headers }: Reply): void => {
  if (response.destroyed) return
  response.writeHead(status, { 'content-type': type, 'content-length': bytes, ...headers })
  // As text it leaves in one write with the headers.
  response.end(text)
}
