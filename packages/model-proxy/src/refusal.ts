// Refusals of model requests. Each message says what is wrong and what to do.
import type { ServerResponse } from 'node:http'
import { type ModelErrorCode, modelErrors } from '@gatehouse/contracts'

export interface RefusalOptions {
  /** HTTP status of the provider, if it answered. */
  readonly status?: number
  /** Headers of the answer. */
  readonly headers?: Readonly<Record<string, string>>
}

export class ModelRefusal extends Error {
  readonly code: ModelErrorCode
  readonly status: number
  readonly headers: Readonly<Record<string, string>>

  constructor(code: ModelErrorCode, message: string, { status, headers = {} }: RefusalOptions = {}) {
    super(message)
    this.name = 'ModelRefusal'
    this.code = code
    this.status = status ?? modelErrors[code]
    this.headers = headers
  }
}

/** A refusal in the form that clients of all formats accept: an object `error` with a type, a code and a message. */
const refusalText = ({ code, message }: Pick<ModelRefusal, 'code' | 'message'>): string =>
  JSON.stringify({ type: 'error', error: { type: code, code, message } })

export interface JsonAnswer {
  readonly status: number
  readonly text: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Writes nothing if the caller has disconnected. */
export const sendJson = (response: ServerResponse, { status, text, headers = {} }: JsonAnswer): void => {
  if (response.destroyed) return
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text), ...headers })
  response.end(text)
}

export const sendRefusal = (response: ServerResponse, refusal: ModelRefusal): void =>
  sendJson(response, { status: refusal.status, text: refusalText(refusal), headers: refusal.headers })
