// What a sealed process is asked about a tree, and what it answers. It has no network: the registry is behind a socket.
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
  /** Below the work directory, in a directory named by the digest of the lock. */
  v.strictObject({ end: v.literal('fetched') }),
  v.strictObject({ end: v.literal('refused'), ...TreeRefusal.entries }),
])
export type TreeOutcome = v.InferOutput<typeof TreeOutcome>
