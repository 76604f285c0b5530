// What an archive says about itself before its contents, and how it ends: a tally of order, names, kinds, modes and bytes.
import { createHash } from 'node:crypto'
import { Mode } from '@gatehouse/contracts'
import * as v from 'valibot'
import type { Entry } from './entry.ts'

export const archiveFormat = 'gatehouse-backup'
/** Of the archive, not of the state in it. */
export const archiveVersion = 1

export const manifestName = 'manifest.json'
export const endName = 'end.json'
/** What lies in the archive below this is the state directory. */
export const stateRoot = 'state'

const Hash = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/))
const Installation = v.pipe(v.string(), v.regex(/^[0-9a-f]{32}$/))

export const Manifest = v.strictObject({
  format: v.literal(archiveFormat),
  version: v.literal(archiveVersion),
  /** Of the state directory. */
  schema: v.number(),
  release: v.string(),
  installation: Installation,
  mode: Mode,
  createdAt: v.pipe(v.string(), v.isoTimestamp()),
  /** The last journal line that the archive holds. */
  head: v.strictObject({ seq: v.number(), hash: Hash }),
  /** `outside`: the archive opens nothing without the file that SERVICE_MASTER_KEY_FILE named. */
  masterKey: v.picklist(['inside', 'outside']),
  /** Tells the right master key from another. */
  keyCheck: Hash,
  /** Owners of files mean something: the unit ran as root. */
  owners: v.boolean(),
  /** Whom the host knows the unit as, where it was root of a user namespace alone. */
  unit: v.optional(v.strictObject({ uid: v.number(), gid: v.number() })),
  /** Where the catalog lay, when that was outside of the state directory. */
  catalog: v.nullable(v.string()),
})
export type Manifest = v.InferOutput<typeof Manifest>

/** Read before the rest, so that a newer archive is called newer and not broken. */
export const Announced = v.object({ format: v.literal(archiveFormat), version: v.number() })

export const End = v.strictObject({
  entries: v.number(),
  bytes: v.number(),
  /** Over all entries in their order. */
  digest: Hash,
})
export type End = v.InferOutput<typeof End>

export interface Tally {
  /** `hash`: of the bytes of a file. */
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
