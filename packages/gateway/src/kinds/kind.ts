// The interface of a kind of change: pure functions of the change and its context.
import {
  type After,
  type Change,
  type ChangeID,
  type Evidence,
  type Failure,
  type Kind,
  type KindFacts,
  kinds,
  type Risk,
} from '@gatehouse/contracts'
import type * as v from 'valibot'
import type { RequiredEvidence } from '../evidence/stored.ts'
import { invalid, parse } from '../input.ts'
import type { Secrets } from '../secrets.ts'
import type { Effect } from '../state/effects.ts'
import type { UnitLock } from '../state/lock.ts'
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
  readonly context: ChangeContext
  readonly evidence: Evidence | null
}

/** The definition of a kind, on top of its row in the table of contracts. */
interface Definition<K extends Kind> {
  /** Whether the change makes its group or needs it. */
  readonly target: 'new' | 'existing'
  /** Whether open sessions of the group have its effect only after their sandbox was launched again. */
  readonly needsRelaunch: boolean
  /** The lock of the unit under which its changes are applied one at a time; null where the lock of the group is enough. */
  readonly serializedBy: UnitLock | null
  /** Whether an applied change takes something from sandboxes that run, however much it gives. */
  readonly narrowsSandboxes: 'always' | 'never' | ((before: Json, after: After<K>) => boolean)
  /** Whether it gives nothing at all, so that it is applied under a freeze too. */
  readonly appliesUnderFreeze: 'always' | 'never' | ((after: After<K>, input: VerifyInput) => boolean)
  /** How `after` is read, where errors are clearer than those of the schema in the table. */
  readonly schema?: v.GenericSchema<unknown, After<K>>
  /** The same `after` with each of its secret values put through a function. */
  secrets?(after: Json, through: (value: string) => string): Json
  /** The member of `after` that names a tool server. */
  readonly server?: string
  /** What it acts on within its group, such as the name of a server; empty where that is the group itself. */
  subject?(after: After<K>): string
  /** What is requested, the same however it is spelled and under whatever terms; what is approved where the kind does not say. */
  requestKey?(after: After<K>): Json
  /** The slice that the kind writes, as it is now. */
  slice(after: After<K>, context: ChangeContext): Json | null
  /** The slice as it would be; `after` itself where the kind does not say. */
  outcome?(after: After<K>, input: VerifyInput): Json | null
  verify(after: After<K>, input: VerifyInput): Failure | undefined
  requiredEvidence?(after: After<K>, context: ChangeContext): RequiredEvidence | undefined
  risk(after: After<K>, input: VerifyInput): Risk
  /** Sentences for a human on what makes the risk high. */
  why?(after: After<K>, input: VerifyInput): string[]
  /** One sentence for a human. */
  describe(after: After<K>, context: ChangeContext): string
  apply(after: After<K>, input: VerifyInput, stamp: Stamp): Effect
  /** Undefined where nothing undoes it. @param before the slice that it wrote over */
  invert?(after: After<K>, before: Json | null): Inverse | undefined
}

type Fact<K extends Kind, F extends keyof KindFacts> = (typeof kinds)[K][F]

/** What the row of the kind in the table of contracts requires of its definition. */
type Requirements<K extends Kind> = (Fact<K, 'secretive'> extends true
  ? Required<Pick<Definition<K>, 'secrets'>>
  : { readonly secrets?: never }) &
  (Fact<K, 'revertible'> extends true ? Required<Pick<Definition<K>, 'invert'>> : { readonly invert?: never }) &
  (Fact<K, 'narrowing'> extends true ? { readonly narrowsSandboxes: 'always'; readonly appliesUnderFreeze: 'always' } : unknown)

export type KindDefinition<K extends Kind> = Definition<K> & Requirements<K>

/** A kind that has read its `after`. */
export interface Bound {
  readonly kind: Kind
  readonly target: 'new' | 'existing'
  /** As it is stored: secret values are sealed, each time differently. */
  readonly after: Json
  /** As it is digested and compared: each secret value is replaced by a keyed hash. */
  readonly approvable: Json
  readonly subject: string
  /** Equal for requests that ask for the same. */
  readonly requestKey: Json
  requiredEvidence(context: ChangeContext): RequiredEvidence | undefined
  slice(context: ChangeContext): Json | null
  outcome(input: VerifyInput): Json | null
  verify(input: VerifyInput): Failure | undefined
  appliesUnderFreeze(input: VerifyInput): boolean
  risk(input: VerifyInput): Risk
  why(input: VerifyInput): string[]
  describe(context: ChangeContext): string
  apply(input: VerifyInput, stamp: Stamp): Effect
  invert(before: Json | null): Inverse | undefined
}

export interface KindRow<K extends Kind = Kind> {
  readonly name: K
  readonly needsRelaunch: boolean
  readonly serializedBy: UnitLock | null
  /** The member of `after` that names a tool server. */
  readonly server: string | undefined
  /** Whether an applied change of this kind has taken something from the sandboxes that run. */
  narrowsSandboxes(change: Pick<Change, 'before' | 'after'>): boolean
  /** Reads what was submitted. Throws `invalid` with pointers below `/after`. */
  read(after: unknown, secrets: Secrets): Bound
  /** Reads what was stored. */
  readStored(after: Json, secrets: Secrets): Bound
}

interface ReadAfter<K extends Kind> {
  readonly after: After<K>
  readonly stored: Json
  readonly approvable: Json
}

function bindDefinition<K extends Kind>(kind: K, definition: Definition<K>, { after, stored, approvable }: ReadAfter<K>): Bound {
  const { appliesUnderFreeze } = definition
  return {
    kind,
    target: definition.target,
    after: stored,
    approvable,
    subject: definition.subject?.(after) ?? '',
    requestKey: definition.requestKey?.(after) ?? approvable,
    requiredEvidence: (context) => definition.requiredEvidence?.(after, context),
    slice: (context) => definition.slice(after, context),
    outcome: (input) => (definition.outcome === undefined ? stored : definition.outcome(after, input)),
    verify: (input) => definition.verify(after, input),
    appliesUnderFreeze: (input) =>
      typeof appliesUnderFreeze === 'function' ? appliesUnderFreeze(after, input) : appliesUnderFreeze === 'always',
    risk: (input) => definition.risk(after, input),
    why: (input) => definition.why?.(after, input) ?? [],
    describe: (context) => definition.describe(after, context),
    apply: (input, stamp) => definition.apply(after, input, stamp),
    invert: (before) => definition.invert?.(after, before),
  }
}

/** The row of a kind. A definition that does not fit the row in the table of contracts is a type error. */
export function defineKind<K extends Kind>(name: K, definition: KindDefinition<K>): KindRow<K> {
  const { needsRelaunch, serializedBy, server, narrowsSandboxes } = definition
  const schema: v.GenericSchema<unknown, After<K>> = definition.schema ?? kinds[name].schema
  const mapSecrets = (after: Json, through: (value: string) => string): Json => definition.secrets?.(after, through) ?? after
  return {
    name,
    needsRelaunch,
    serializedBy,
    server,
    narrowsSandboxes: ({ before, after }) =>
      typeof narrowsSandboxes === 'function'
        ? before !== null && narrowsSandboxes(before, parse(schema, after, '/after'))
        : narrowsSandboxes === 'always',
    read: (input, { seal, hmac }) => {
      const after = parse(schema, input, '/after')
      // An object's schema takes a list without items for an object without members.
      if (Array.isArray(input)) throw invalid([{ pointer: '/after', detail: 'expected an object, got a list' }])
      return bindDefinition(name, definition, { after, stored: mapSecrets(after, seal), approvable: mapSecrets(after, hmac) })
    },
    readStored: (stored, { unseal, hmac }) => {
      const after = parse(schema, mapSecrets(stored, unseal), '/after')
      return bindDefinition(name, definition, { after, stored, approvable: mapSecrets(after, hmac) })
    },
  }
}
