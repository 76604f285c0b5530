// A refusal as the clients of all formats read one: an object `error` with a type, a code and a message.
import type { ServerResponse } from 'node:http'
import type { ModelRefusal } from '../requests/refusal.ts'

const refusalText = ({ code, message }: Pick<ModelRefusal, 'code' | 'message'>): string =>
  JSON.stringify({ type: 'error', error: { type: code, code, message } })

export interface JsonAnswer {
  readonly status: number
  readonly text: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Nothing is written to a caller that is gone. */
export const sendJson = (response: ServerResponse, { status, text, headers = {} }: JsonAnswer): void => {
  if (response.destroyed) return
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text), ...headers })
  response.end(text)
}

export const sendRefusal = (response: ServerResponse, refusal: ModelRefusal): void =>
  sendJson(response, { status: refusal.status, text: refusalText(refusal), headers: refusal.headers })
