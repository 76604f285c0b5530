// What a kind of change must say about itself. Everything here is a pure function of the change and the world it meets.
import type { ChangeID, Failure, Kind, Risk } from '@gatehouse/contracts'
import type * as v from 'valibot'
import type { Evidence, Wanted } from '../evidence/evidence.ts'
import { parse } from '../input/parse.ts'
import type { Effect } from '../registry/effect.ts'
import type { World } from '../registry/world.ts'

export type Json = Record<string, unknown>

interface Stamp {
  readonly changeID: ChangeID
  readonly at: string
}

export interface Behaviour<S extends v.GenericSchema> {
  readonly name: Kind
  readonly schema: S
  /** Only takes power away. */
  readonly narrowing: boolean
  /** Whether the change makes its group or needs it. */
  readonly target: 'new' | 'existing'
  /** The slice that the kind writes, as it is now. */
  slice(after: v.InferOutput<S>, world: World): Json | null
  /** The slice as it would be; `after` itself where the kind does not say. */
  outcome?(after: v.InferOutput<S>, world: World): Json | null
  verify(after: v.InferOutput<S>, world: World): Failure | undefined
  wants?(after: v.InferOutput<S>): Wanted
  risk(after: v.InferOutput<S>, evidence: Evidence | null): Risk
  /** One sentence for a human. */
  describe(after: v.InferOutput<S>, world: World): string
  apply(after: v.InferOutput<S>, world: World, stamp: Stamp): Effect
}

/** A kind that has read its `after`. */
export interface Bound {
  readonly kind: Kind
  readonly narrowing: boolean
  readonly target: 'new' | 'existing'
  readonly after: Json
  readonly wants: Wanted | undefined
  slice(world: World): Json | null
  outcome(world: World): Json | null
  verify(world: World): Failure | undefined
  risk(evidence: Evidence | null): Risk
  describe(world: World): string
  apply(world: World, stamp: Stamp): Effect
}

export interface KindRow {
  readonly narrowing: boolean
  /** Throws `invalid` with pointers below `/after`. */
  read(after: unknown): Bound
}

export const defineKind = <S extends v.GenericSchema<unknown, Json>>(behaviour: Behaviour<S>): KindRow => ({
  narrowing: behaviour.narrowing,
  read: (input) => {
    const after = parse(behaviour.schema, input, '/after')
    return {
      kind: behaviour.name,
      narrowing: behaviour.narrowing,
      target: behaviour.target,
      after,
      wants: behaviour.wants?.(after),
      slice: (world) => behaviour.slice(after, world),
      outcome: (world) => (behaviour.outcome === undefined ? after : behaviour.outcome(after, world)),
      verify: (world) => behaviour.verify(after, world),
      risk: (evidence) => behaviour.risk(after, evidence),
      describe: (world) => behaviour.describe(after, world),
      apply: (world, stamp) => behaviour.apply(after, world, stamp),
    }
  },
})
