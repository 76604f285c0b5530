// Defines a change kind by pure functions of the change and its context.
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

/** The input of a kind's functions, beside `after`. */
export interface VerifyInput {
  readonly context: ChangeContext
  readonly evidence: Evidence | null
}

/** The definition of a kind. Its schema and flags are in the table of contracts. */
interface Definition<K extends Kind> {
  /** Whether the change creates its group or requires an existing one. */
  readonly target: 'new' | 'existing'
  /** Whether open sessions of the group need a relaunch before the change takes effect in them. */
  readonly needsRelaunch: boolean
  /** The lock of the unit under which changes of this kind are applied one at a time; null if the lock of the group is enough. */
  readonly serializedBy: UnitLock | null
  /** Whether an applied change removes access from running sandboxes, even if it also adds some. */
  readonly narrowsSandboxes: 'always' | 'never' | ((before: Json, after: After<K>) => boolean)
  /** Whether it adds no access at all, so that it is applied during a freeze. */
  readonly appliesUnderFreeze: 'always' | 'never' | ((after: After<K>, input: VerifyInput) => boolean)
  /** Replaces the schema in the table of contracts where it gives clearer errors. */
  readonly schema?: v.GenericSchema<unknown, After<K>>
  /** Returns `after` with each secret value mapped by the function. */
  secrets?(after: Json, map: (value: string) => string): Json
  /** The field of `after` that names a tool server. */
  readonly server?: string
  /** The object within the group that it changes, such as a server name; empty if that is the group itself. */
  subject?(after: After<K>): string
  /** Identifies equivalent requests, regardless of spelling and terms. Default: `approvable`. */
  requestKey?(after: After<K>): Json
  /** The part of the configuration that the kind writes, before the change. */
  slice(after: After<K>, context: ChangeContext): Json | null
  /** The same part after the change. Default: `after`. */
  outcome?(after: After<K>, input: VerifyInput): Json | null
  verify(after: After<K>, input: VerifyInput): Failure | undefined
  requiredEvidence?(after: After<K>, context: ChangeContext): RequiredEvidence | undefined
  risk(after: After<K>, input: VerifyInput): Risk
  /** Sentences for the approver on why the risk is high. */
  why?(after: After<K>, input: VerifyInput): string[]
  /** One sentence for the approver on what the change does. */
  describe(after: After<K>, context: ChangeContext): string
  apply(after: After<K>, input: VerifyInput, stamp: Stamp): Effect
  /** The change that undoes it; undefined if there is none. @param before the value that it replaced */
  invert?(after: After<K>, before: Json | null): Inverse | undefined
}

type Fact<K extends Kind, F extends keyof KindFacts> = (typeof kinds)[K][F]

/** What the row in the table of contracts requires of the definition. */
type Requirements<K extends Kind> = (Fact<K, 'secretive'> extends true
  ? Required<Pick<Definition<K>, 'secrets'>>
  : { readonly secrets?: never }) &
  (Fact<K, 'revertible'> extends true ? Required<Pick<Definition<K>, 'invert'>> : { readonly invert?: never }) &
  (Fact<K, 'narrowing'> extends true ? { readonly narrowsSandboxes: 'always'; readonly appliesUnderFreeze: 'always' } : unknown)

export type KindDefinition<K extends Kind> = Definition<K> & Requirements<K>

/** A kind together with a parsed `after`. */
export interface Bound {
  readonly kind: Kind
  readonly target: 'new' | 'existing'
  /** As stored, with secret values encrypted. Not deterministic. */
  readonly after: Json
  /** As digested and compared, with each secret value replaced by its keyed hash. */
  readonly approvable: Json
  readonly subject: string
  /** Equal for equivalent requests. */
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
  /** The field of `after` that names a tool server. */
  readonly server: string | undefined
  /** Whether this applied change removed access from running sandboxes. */
  narrowsSandboxes(change: Pick<Change, 'before' | 'after'>): boolean
  /** Parses the `after` of a submission. Throws `invalid` with pointers below `/after`. */
  read(after: unknown, secrets: Secrets): Bound
  /** Parses the `after` of a stored change. */
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

/** Creates the row of a kind. A definition that does not match the table of contracts is a type error. */
export function defineKind<K extends Kind>(name: K, definition: KindDefinition<K>): KindRow<K> {
  const { needsRelaunch, serializedBy, server, narrowsSandboxes } = definition
  const schema: v.GenericSchema<unknown, After<K>> = definition.schema ?? kinds[name].schema
  const mapSecrets = (after: Json, map: (value: string) => string): Json => definition.secrets?.(after, map) ?? after
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
      // The schema of an object accepts an empty list.
      if (Array.isArray(input)) throw invalid([{ pointer: '/after', detail: 'expected an object, got a list' }])
      return bindDefinition(name, definition, { after, stored: mapSecrets(after, seal), approvable: mapSecrets(after, hmac) })
    },
    readStored: (stored, { unseal, hmac }) => {
      const after = parse(schema, mapSecrets(stored, unseal), '/after')
      return bindDefinition(name, definition, { after, stored, approvable: mapSecrets(after, hmac) })
    },
  }
}
