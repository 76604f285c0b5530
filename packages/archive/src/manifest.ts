// The manifest at the beginning of an archive, and its end: counts and a digest of order, names, types, modes and bytes.
import { createHash } from 'node:crypto'
import { Mode } from '@gatehouse/contracts'
import * as v from 'valibot'
import type { Entry } from './entry.ts'

export const archiveFormat = 'gatehouse-backup'
/** Version of the archive format, not of the state in it. */
export const archiveVersion = 1

export const manifestName = 'manifest.json'
export const endName = 'end.json'
/** Path of the state directory in the archive. */
export const stateRoot = 'state'

const Hash = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/))
const Installation = v.pipe(v.string(), v.regex(/^[0-9a-f]{32}$/))

export const Manifest = v.strictObject({
  format: v.literal(archiveFormat),
  version: v.literal(archiveVersion),
  /** Schema version of the state directory. */
  schema: v.number(),
  release: v.string(),
  installation: Installation,
  mode: Mode,
  createdAt: v.pipe(v.string(), v.isoTimestamp()),
  /** The last journal line in the archive. */
  head: v.strictObject({ seq: v.number(), hash: Hash }),
  /** `outside`: the state can only be used with the file named by SERVICE_MASTER_KEY_FILE. */
  masterKey: v.picklist(['inside', 'outside']),
  /** Derived from the master key, to recognize the right one. */
  keyCheck: Hash,
  /** Whether file owners are significant, because the unit ran as root. */
  owners: v.boolean(),
  /** The host identity of the unit if it was root only in a user namespace. */
  unit: v.optional(v.strictObject({ uid: v.number(), gid: v.number() })),
  /** Path of the catalog if it was outside of the state directory. */
  catalog: v.nullable(v.string()),
})
export type Manifest = v.InferOutput<typeof Manifest>

/** Parsed first, so that a newer archive is reported as newer and not as invalid. */
export const Announced = v.object({ format: v.literal(archiveFormat), version: v.number() })

export const End = v.strictObject({
  entries: v.number(),
  bytes: v.number(),
  /** Digest over all entries in order. */
  digest: Hash,
})
export type End = v.InferOutput<typeof End>

export interface Tally {
  /** @param hash SHA-256 of the bytes of a file */
  add(entry: Entry, bytes: number, hash: string): void
  end(): End
}

export const createTally = (): Tally => {
  const all = createHash('sha256')
  let entries = 0
  let bytes = 0
  return {
    add(entry, count, hash) {
      const target = entry.type === 'link' ? entry.target : ''
      all.update(`${JSON.stringify([entry.path, entry.type, entry.mode, entry.uid, entry.gid, count, hash, target])}\n`)
      entries += 1
      bytes += count
    },
    end: () => ({ entries, bytes, digest: all.copy().digest('hex') }),
  }
}
