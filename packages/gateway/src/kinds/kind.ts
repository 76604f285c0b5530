// The interface of a kind of change: pure functions of the change and its context.
import type { Change, ChangeID, Failure, Kind, Risk, Evidence } from '@gatehouse/contracts'
import type * as v from 'valibot'
import type { Wanted } from '../evidence/stored.ts'
import { invalid, parse } from '../input.ts'
import type { Secrets } from '../secrets.ts'
import type { Effect } from '../state/effects.ts'
import type { ChangeContext } from '../state/unit-config.ts'

export type Json = Record<string, unknown>

interface Stamp {
  readonly changeID: ChangeID
  readonly at: string
}

/** The submission that undoes a change. */
export interface Inverse {
  readonly kind: Kind
  readonly after: Json
}

/** What a kind sees beside the change. */
export interface VerifyInput {
  readonly world: ChangeContext
  readonly evidence: Evidence | null
}

export interface Behaviour<S extends v.GenericSchema> {
  readonly name: Kind
  readonly schema: S
  /** Every change of the kind only takes power away. */
  readonly narrowing: boolean
  /** Whether the change makes its group or needs it. */
  readonly target: 'new' | 'existing'
  /** The same `after` with each of its secret values put through a function. Only where there are any. */
  secrets?(after: Json, through: (value: string) => string): Json
  /** The member of `after` that names a tool server. */
  readonly server?: string
  /** What it acts on within its group, such as the name of a server; empty where that is the group itself. */
  subject?(after: v.InferOutput<S>): string
  /** What is asked for, the same however it is spelled and under whatever terms; what is approved where the kind does not say. */
  wish?(after: v.InferOutput<S>): Json
  /** The slice that the kind writes, as it is now. */
  slice(after: v.InferOutput<S>, world: ChangeContext): Json | null
  /** The slice as it would be; `after` itself where the kind does not say. */
  outcome?(after: v.InferOutput<S>, sight: VerifyInput): Json | null
  verify(after: v.InferOutput<S>, sight: VerifyInput): Failure | undefined
  wants?(after: v.InferOutput<S>, world: ChangeContext): Wanted | undefined
  /** Whether it takes something away that sandboxes now have, however much it gives. */
  takes?(before: Json, after: v.InferOutput<S>): boolean
  /** Whether it gives nothing at all, so that it is applied under a freeze too; not where the kind does not say. */
  onlyTakes?(after: v.InferOutput<S>, sight: VerifyInput): boolean
  risk(after: v.InferOutput<S>, sight: VerifyInput): Risk
  /** Sentences for a human on what makes the risk high. */
  why?(after: v.InferOutput<S>, sight: VerifyInput): string[]
  /** One sentence for a human. */
  describe(after: v.InferOutput<S>, world: ChangeContext): string
  apply(after: v.InferOutput<S>, sight: VerifyInput, stamp: Stamp): Effect
  /** Undefined where nothing undoes it. @param before the slice that it wrote over */
  invert(after: v.InferOutput<S>, before: Json | null): Inverse | undefined
}

/** A kind that has read its `after`. */
export interface Bound {
  readonly kind: Kind
  readonly narrowing: boolean
  readonly target: 'new' | 'existing'
  /** As it is kept: secret values are sealed, each time differently. */
  readonly after: Json
  /** As it is digested and compared: secret values are told apart without being known. */
  readonly approvable: Json
  readonly subject: string
  /** By which a request is known again. */
  readonly wish: Json
  wants(world: ChangeContext): Wanted | undefined
  slice(world: ChangeContext): Json | null
  outcome(sight: VerifyInput): Json | null
  verify(sight: VerifyInput): Failure | undefined
  onlyTakes(sight: VerifyInput): boolean
  risk(sight: VerifyInput): Risk
  why(sight: VerifyInput): string[]
  describe(world: ChangeContext): string
  apply(sight: VerifyInput, stamp: Stamp): Effect
  invert(before: Json | null): Inverse | undefined
}

export interface KindRow {
  readonly narrowing: boolean
  /** The member of `after` that names a tool server. */
  readonly server: string | undefined
  /** Whether an applied change of this kind has taken something from the sandboxes that run. */
  takes(change: Pick<Change, 'before' | 'after'>): boolean
  /** What was submitted. Throws `invalid` with pointers below `/after`. */
  read(after: unknown, secrets: Secrets): Bound
  /** What was kept. */
  readKept(after: Json, secrets: Secrets): Bound
}

const make = <S extends v.GenericSchema<unknown, Json>>(
  behaviour: Behaviour<S>,
  { after, kept, approvable }: { after: v.InferOutput<S>; kept: Json; approvable: Json },
): Bound => ({
  kind: behaviour.name,
  narrowing: behaviour.narrowing,
  target: behaviour.target,
  after: kept,
  approvable,
  subject: behaviour.subject?.(after) ?? '',
  wish: behaviour.wish?.(after) ?? approvable,
  wants: (world) => behaviour.wants?.(after, world),
  slice: (world) => behaviour.slice(after, world),
  outcome: (sight) => (behaviour.outcome === undefined ? kept : behaviour.outcome(after, sight)),
  verify: (sight) => behaviour.verify(after, sight),
  onlyTakes: (sight) => behaviour.narrowing || behaviour.onlyTakes?.(after, sight) === true,
  risk: (sight) => behaviour.risk(after, sight),
  why: (sight) => behaviour.why?.(after, sight) ?? [],
  describe: (world) => behaviour.describe(after, world),
  apply: (sight, stamp) => behaviour.apply(after, sight, stamp),
  invert: (before) => behaviour.invert(after, before),
})

export const defineKind = <S extends v.GenericSchema<unknown, Json>>(behaviour: Behaviour<S>): KindRow => {
  const put = (after: Json, through: (value: string) => string): Json => behaviour.secrets?.(after, through) ?? after
  return {
    narrowing: behaviour.narrowing,
    server: behaviour.server,
    takes: ({ before, after }) =>
      behaviour.narrowing || (before !== null && (behaviour.takes?.(before, parse(behaviour.schema, after, '/after')) ?? false)),
    read: (input, { seal, hmac }) => {
      const after = parse(behaviour.schema, input, '/after')
      // An object's schema takes a list without items for an object without members.
      if (Array.isArray(input)) throw invalid([{ pointer: '/after', detail: 'expected an object, got a list' }])
      return make(behaviour, { after, kept: put(after, seal), approvable: put(after, hmac) })
    },
    readKept: (kept, { unseal, hmac }) => {
      const after = parse(behaviour.schema, put(kept, unseal), '/after')
      return make(behaviour, { after, kept, approvable: put(after, hmac) })
    },
  }
}
