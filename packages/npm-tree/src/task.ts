// The task of the sealed process, its outcome, and the reasons for a refusal. The process has no network: the registry is behind a socket.
import { PackageLock, TreeRefusal } from '@gatehouse/contracts'
import * as v from 'valibot'

const registry = v.strictObject({ url: v.string(), socket: v.string() })

export const TreeTask = v.variant('act', [
  v.strictObject({ act: v.literal('resolve'), registry, names: v.array(v.string()) }),
  v.strictObject({ act: v.literal('fetch'), registry, lock: PackageLock }),
])
export type TreeTask = v.InferOutput<typeof TreeTask>

export const TreeOutcome = v.variant('end', [
  v.strictObject({ end: v.literal('resolved'), lock: PackageLock }),
  /** The tree is in the work directory, named by the digest of the lock. */
  v.strictObject({ end: v.literal('fetched') }),
  v.strictObject({ end: v.literal('refused'), ...TreeRefusal.entries }),
])
export type TreeOutcome = v.InferOutput<typeof TreeOutcome>

export type TreeRule =
  | 'bad-name'
  | 'not-found'
  | 'not-from-registry'
  | 'conflict'
  | 'other-platform'
  | 'wrong-integrity'
  | 'bad-archive'
  | 'too-large'
  | 'unreachable'

export class TreeRefused extends Error {
  readonly rule: TreeRule

  constructor(rule: TreeRule, message: string, cause?: unknown) {
    super(message, { cause })
    this.rule = rule
  }
}

const rules: Readonly<Record<string, TreeRule>> = {
  EALLOWGIT: 'not-from-registry',
  EALLOWREMOTE: 'not-from-registry',
  EALLOWFILE: 'not-from-registry',
  EALLOWDIRECTORY: 'not-from-registry',
  EINVALIDPACKAGENAME: 'bad-name',
  EINVALIDTAGNAME: 'bad-name',
  E404: 'not-found',
  ETARGET: 'not-found',
  ERESOLVE: 'conflict',
  EBADPLATFORM: 'other-platform',
  EINTEGRITY: 'wrong-integrity',
}

const errorCode = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '')

/** Converts an error of npm. An unknown error counts as `unreachable`. */
export const toRefused = (error: unknown, what: string): TreeRefused => {
  if (error instanceof TreeRefused) return error
  const rule = rules[errorCode(error)] ?? 'unreachable'
  const [reason = 'unknown error'] = (error instanceof Error ? error.message : 'unknown error').split('\n')
  return new TreeRefused(rule, `${what}: ${reason}`, error)
}
