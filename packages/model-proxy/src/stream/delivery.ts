// What is sent to a provider, for whom, and where its answer goes.
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import type { Dispatcher } from 'undici'
import type { Ask } from '../requests/ask.ts'

export interface Delivery {
  readonly ask: Ask
  /** The body as it is sent. */
  readonly body: string
  readonly headers: IncomingHttpHeaders
  readonly response: ServerResponse
  readonly agent: Pick<Dispatcher, 'dispatch'>
  readonly secret: string | null
  readonly signal: AbortSignal
}
