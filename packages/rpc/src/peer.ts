// birpc over one wire: requests, answers and events as frames. Any other frame is refused.
import type { ServiceError } from '@gatehouse/contracts'
import { createBirpc } from 'birpc'
import { encodeFrame } from './frame.ts'
import { toWireError } from './messages.ts'
import type { Wire } from './wire.ts'

/** What the other end may ask for. */
export interface Functions {
  /** Throws for a name that is none of its own. */
  run(name: string, args: readonly unknown[]): unknown
}

export interface Peer {
  call(method: string, args: unknown[]): Promise<unknown>
  /** Resolves when it is handed to the socket; rejects when it is too large. */
  notify(method: string, args: unknown[]): Promise<unknown>
  /** Rejects what waits for an answer. */
  close(error: ServiceError): void
}

/** What birpc sends: `q` asks, or tells when it has no `i`; `s` answers. */
interface Message {
  readonly t: 'q' | 's'
  readonly e?: unknown
}

/** By hand, since each frame passes here twice; parameters and results have their own schemas. */
const isMessage = (value: object): boolean => {
  const { t, i, m, a } = value as Readonly<Record<string, unknown>>
  if (t === 's') return typeof i === 'string'
  const members = Object.keys(value).length
  return t === 'q' && typeof m === 'string' && Array.isArray(a) && (typeof i === 'string' ? members === 4 : members === 3)
}

/** Errors leave as plain members; `JSON.stringify` would make `{}` of them. */
const serialize = (message: Message): string => encodeFrame('e' in message ? { ...message, e: toWireError(message.e) } : message)

export const createPeer = (wire: Wire, functions: Functions): Peer => {
  const rpc = createBirpc<object, object, false>(functions, {
    proxify: false,
    resolver:
      (name) =>
      (...args: unknown[]) =>
        functions.run(name, args),
    // Deadlines are the caller's, who also tells the other end.
    timeout: -1,
    post: (frame: string) => wire.send(frame),
    on: (listener) => {
      wire.onMessage = (message) => {
        if (isMessage(message)) listener(message)
        else wire.close('expected a request or an answer, got another frame')
      }
    },
    serialize,
    // Only an answer has a name here: it is replaced by its error. A request that cannot be sent fails at its caller.
    onGeneralError: (_error, name) => name !== undefined,
  })
  return {
    call: (method, args) => rpc.$callRaw({ method, args }),
    notify: (method, args) => rpc.$callRaw({ method, args, event: true }),
    close: (error) => rpc.$close(error),
  }
}
