// An edge is the API that one service offers to one caller, with its own socket and secret. Also has parameters that calls share.
import * as v from 'valibot'
import { AgentGroupID, Digest, Time } from './ids.ts'

type Schema = v.GenericSchema

export interface CallSpec<P extends Schema = Schema, R extends Schema = Schema> {
  readonly params: P
  readonly result: R
  /** Waits up to `limits.rpcPatientTime` for a peer that is down, instead of failing at once. */
  readonly patient?: boolean
  /** Milliseconds; default `limits.rpcTime`. */
  readonly deadline?: number
  /** May carry a large frame, so it travels on the edge's second connection. */
  readonly large?: boolean
}

export interface Edge<
  C extends Record<string, CallSpec> = Record<string, CallSpec>,
  E extends Record<string, Schema> = Record<string, Schema>,
> {
  /** `<server>.<caller>`; the socket is `<name>.sock`. */
  readonly name: string
  readonly server: string
  readonly caller: string
  readonly version: number
  readonly calls: C
  /** What the server publishes to the caller. */
  readonly events: E
}

// The annotations let the bundler remove the edges from the console, which does not use them.
export const call = /* @__NO_SIDE_EFFECTS__ */ <P extends Schema, R extends Schema>(
  params: P,
  result: R,
  options: Pick<CallSpec, 'patient' | 'deadline' | 'large'> = {},
): CallSpec<P, R> => ({ params, result, ...options })

export const defineEdge = /* @__NO_SIDE_EFFECTS__ */ <C extends Record<string, CallSpec>, E extends Record<string, Schema>>(
  parts: Omit<Edge<C, E>, 'name' | 'version'>,
): Edge<C, E> => ({ ...parts, name: `${parts.server}.${parts.caller}`, version: 1 })

export type Params<E extends Edge, N extends keyof E['calls']> = v.InferOutput<E['calls'][N]['params']>
export type Result<E extends Edge, N extends keyof E['calls']> = v.InferOutput<E['calls'][N]['result']>
export type EventPayload<E extends Edge, N extends keyof E['events']> = v.InferOutput<E['events'][N]>

/** SHA-256 of the presented token; null when none was presented, which only an open unit accepts. */
export const presented = { token: v.nullable(Digest) }
export const page = { limit: v.number(), cursor: v.optional(v.string()) }

export const listOf = /* @__NO_SIDE_EFFECTS__ */ <S extends v.GenericSchema>(item: S) =>
  v.strictObject({ items: v.array(item), nextCursor: v.optional(v.string()) })

/** At or after `since` and before `until`. */
export const span = { since: v.optional(Time), until: v.optional(Time) }
export const ofGroup = { agentGroupID: v.optional(AgentGroupID) }
/** Options of reads with large results, which wait for a restarting gateway. */
export const reading = { large: true, patient: true } as const
/** `false` if the act took effect but is not on disk yet, so it is lost when the gateway stops. Only for acts that remove access. */
export const keeping = { kept: v.optional(v.literal(false)) }
