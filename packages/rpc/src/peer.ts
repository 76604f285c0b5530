// birpc over one wire: requests, answers and events as frames, and nothing that is none of these.
import type { ServiceError } from '@gatehouse/contracts'
import { createBirpc } from 'birpc'
import { encodeFrame } from './frame.ts'
import { toWireError } from './wire-error.ts'
import type { Wire } from './wire.ts'

type Act = (...args: unknown[]) => unknown

export interface Functions {
  /** The local function behind a name that the other end asks for; throws for a name that is none. */
  readonly find: (name: string) => Act
}

export interface Peer {
  call(method: string, ...args: unknown[]): Promise<unknown>
  /** Resolves when it is handed to the socket; rejects when it is too large. */
  notify(method: string, ...args: unknown[]): Promise<void>
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
  const { t, i, m, a, ...rest } = value as Readonly<Record<string, unknown>>
  if (t === 's') return typeof i === 'string' && m === undefined && a === undefined
  return t === 'q' && typeof m === 'string' && Array.isArray(a) && (i === undefined || typeof i === 'string') && Object.keys(rest).length === 0
}

/** Errors leave as plain members; `JSON.stringify` would make `{}` of them. */
const serialize = (message: Message): string => encodeFrame('e' in message ? { ...message, e: toWireError(message.e) } : message)

export const createPeer = (wire: Wire, functions: Functions): Peer => {
  const rpc = createBirpc<Record<string, Act>, Record<string, Act>, false>(
    {},
    {
      proxify: false,
      resolver:
        (name) =>
        (...args: unknown[]) =>
          functions.find(name)(...args),
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
    },
  )
  return {
    call: (method, ...args) => rpc.$call(method, ...args),
    notify: (method, ...args) => rpc.$callEvent(method, ...args),
    close: (error) => rpc.$close(error),
  }
}
