// Journal records of the catalog and their projections. Secret values are sealed in both.
import { Digest, GrantRef, ServerName } from '@gatehouse/contracts'
import * as v from 'valibot'
import { suspend, Suspension } from '../grants/suspend.ts'
import type { Projection, Projections } from '../ledger/projection.ts'
import { Sealed } from '../secrets.ts'
import { storeWrite } from './settle.ts'

const affected = { grants: v.array(GrantRef), suspended: v.array(Suspension) }

export const PutDetail = v.strictObject({
  created: v.boolean(),
  name: ServerName,
  digest: Digest,
  tag: Digest,
  /** Digest of the entry that was replaced. */
  before: v.nullable(Digest),
  entry: Sealed,
  ...affected,
})
export type PutDetail = v.InferOutput<typeof PutDetail>

const DeleteDetail = v.strictObject({ name: ServerName, digest: Digest, tag: Digest, entry: Sealed })

const State = v.nullable(v.strictObject({ digest: Digest, tag: Digest }))
export const ReloadDetail = v.strictObject({
  entries: v.array(v.strictObject({ name: ServerName, before: State, after: State, entry: v.nullable(Sealed) })),
  ...affected,
})
export type ReloadDetail = v.InferOutput<typeof ReloadDetail>

const put: Projection = async (tx, { seq, detail }) => {
  const { name, entry, suspended } = v.parse(PutDetail, detail)
  await storeWrite(tx, seq, { name, entry, done: false })
  for (const each of suspended) await suspend(tx, each)
}

const removed: Projection = async (tx, { seq, detail }) => {
  await storeWrite(tx, seq, { name: v.parse(DeleteDetail, detail).name, entry: null, done: false })
}

const reloaded: Projection = async (tx, { seq, detail }) => {
  const { entries, suspended } = v.parse(ReloadDetail, detail)
  for (const { name, entry } of entries) await storeWrite(tx, seq, { name, entry, done: true })
  for (const each of suspended) await suspend(tx, each)
}

export const catalogProjections: Projections = { 'catalog-put': put, 'catalog-delete': removed, 'catalog-reload': reloaded }
