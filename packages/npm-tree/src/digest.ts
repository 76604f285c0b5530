// The name of a tree: its content follows from its lock.
import type { Digest, PackageLock } from '@gatehouse/contracts'
import { digestOf } from '@gatehouse/kernel'

export const lockDigest = (lock: PackageLock): Digest => digestOf(lock)
