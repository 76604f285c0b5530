// The types of an edge seen from both ends.
import type { Edge, EventPayload, Params, Result } from '@gatehouse/contracts'

/** What a handler knows of a call besides its parameters. */
export interface CallContext {
  readonly requestId: string
  readonly traceparent: string | undefined
  /** Aborts when the deadline passes, the caller gives up or its connection ends. */
  readonly signal: AbortSignal
}

export type Handlers<E extends Edge> = {
  readonly [N in keyof E['calls']]: (params: Params<E, N>, context: CallContext) => Promise<Result<E, N>> | Result<E, N>
}

export interface CallOptions {
  readonly requestId?: string | undefined
  readonly traceparent?: string | undefined
  readonly signal?: AbortSignal | undefined
  /** Milliseconds; default that of the call. */
  readonly deadline?: number | undefined
}

/** Rejects with `ServiceError`: the peer's own, or `unavailable`, `deadline`, `too-large`. */
export type Calls<E extends Edge> = {
  readonly [N in keyof E['calls']]: (params: Params<E, N>, options?: CallOptions) => Promise<Result<E, N>>
}

export type EventListeners<E extends Edge> = {
  readonly [N in keyof E['events']]?: (payload: EventPayload<E, N>) => void
}

export interface EdgeServer<E extends Edge> {
  /** To every connected caller; nobody connected is no error. */
  publish<N extends keyof E['events'] & string>(event: N, payload: EventPayload<E, N>): void
  /** Stops accepting, lets running calls end, closes. */
  close(): Promise<void>
}

export interface EdgeClient<E extends Edge> {
  readonly calls: Calls<E>
  connected(): boolean
  /** Tries to connect at once where it waits before the next attempt. Idempotent. */
  reconnectNow(): void
  close(): void
}
