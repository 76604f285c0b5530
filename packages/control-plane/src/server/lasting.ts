// Answers that go on as long as their reader likes, and so are not measured by the clock of the others.
import type { Http2ServerResponse } from 'node:http2'
import type { ServerResponse } from 'node:http'

const lasting = new WeakSet<object>()

/** `bindings` is what the listener gave with the request; nothing in a test without a socket. */
export const mayLast = (bindings: { readonly outgoing?: ServerResponse | Http2ServerResponse } | undefined): void => {
  if (bindings?.outgoing !== undefined) lasting.add(bindings.outgoing)
}

export const lasts = (answer: ServerResponse): boolean => lasting.has(answer)
