// What the journal says of the catalog, and what each such line does to the database: values are sealed in both.
import { Digest, GrantRef, ServerName } from '@gatehouse/contracts'
import type { Transaction } from '@gatehouse/store'
import * as v from 'valibot'
import { Suspension, suspend } from '../grants/suspend.ts'
import type { Projection, Projections } from '../ledger/projection.ts'
import { Sealed } from './settle.ts'

const rested = { grants: v.array(GrantRef), suspended: v.array(Suspension) }

export const PutDetail = v.strictObject({
  created: v.boolean(),
  name: ServerName,
  digest: Digest,
  tag: Digest,
  /** Of the entry that was there. */
  before: v.nullable(Digest),
  entry: Sealed,
  ...rested,
})
export type PutDetail = v.InferOutput<typeof PutDetail>

const DeleteDetail = v.strictObject({ name: ServerName, digest: Digest, tag: Digest, entry: Sealed })

const State = v.nullable(v.strictObject({ digest: Digest, tag: Digest }))
export const ReloadDetail = v.strictObject({
  entries: v.array(v.strictObject({ name: ServerName, before: State, after: State, entry: v.nullable(Sealed) })),
  ...rested,
})
export type ReloadDetail = v.InferOutput<typeof ReloadDetail>

interface Write {
  readonly name: string
  readonly entry: Sealed | null
  /** The file holds it already. */
  readonly done: boolean
}

/** A line that comes again is no later than itself. */
const keep = async (tx: Transaction, seq: number, { name, entry, done }: Write): Promise<void> => {
  await tx.run(
    `INSERT INTO catalog_writes (name, seq, entry, done) VALUES (?, ?, ?, ?)
     ON CONFLICT (name) DO UPDATE SET seq = excluded.seq, entry = excluded.entry, done = excluded.done
     WHERE excluded.seq > catalog_writes.seq`,
    [name, seq, entry === null ? null : JSON.stringify(entry), done ? 1 : 0],
  )
}

const put: Projection = async (tx, { seq, detail }) => {
  const { name, entry, suspended } = v.parse(PutDetail, detail)
  await keep(tx, seq, { name, entry, done: false })
  for (const each of suspended) await suspend(tx, each)
}

const removed: Projection = async (tx, { seq, detail }) => {
  await keep(tx, seq, { name: v.parse(DeleteDetail, detail).name, entry: null, done: false })
}

const reloaded: Projection = async (tx, { seq, detail }) => {
  const { entries, suspended } = v.parse(ReloadDetail, detail)
  for (const { name, entry } of entries) await keep(tx, seq, { name, entry, done: true })
  for (const each of suspended) await suspend(tx, each)
}

export const catalogProjections: Projections = { 'catalog-put': put, 'catalog-delete': removed, 'catalog-reload': reloaded }
