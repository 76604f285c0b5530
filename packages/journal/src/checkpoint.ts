// A checkpoint: a line in which the holder of the master key signs the head before it.
import { type KeyObject, sign, verify } from 'node:crypto'
import type { AuditEntry } from '@gatehouse/contracts'
import * as v from 'valibot'
import type { Head, JournalInput } from './chain.ts'

/** Lines between two checkpoints at most. */
export const checkpointEvery = 1000

const signed = ({ seq, hash }: Head, epoch: number): Buffer => Buffer.from(`${seq}:${hash}:${epoch}`)

export const checkpointOf = (head: Head, epoch: number, key: KeyObject): JournalInput => ({
  stage: 'checkpoint',
  edge: 'gateway',
  principal: 'gateway',
  detail: { seq: head.seq, hash: head.hash, epoch, signature: sign(null, signed(head, epoch), key).toString('base64') },
})

const Detail = v.object({ seq: v.number(), hash: v.string(), epoch: v.number(), signature: v.string() })
export type Checkpoint = v.InferOutput<typeof Detail>

/** Undefined for a line that is none. */
export const checkpointIn = ({ stage, detail }: Pick<AuditEntry, 'stage' | 'detail'>): Checkpoint | undefined => {
  const parsed = v.safeParse(Detail, detail)
  return stage === 'checkpoint' && parsed.success ? parsed.output : undefined
}

/** `keys`: by epoch. Why the checkpoint in `entry`, which follows `head`, proves nothing; undefined if it holds. */
export const checkpointFault = (entry: AuditEntry, head: Head, keys: readonly KeyObject[]): string | undefined => {
  const detail = v.safeParse(Detail, entry.detail)
  if (!detail.success) return 'the checkpoint lacks seq, hash, epoch or signature'
  const { seq, hash, epoch, signature } = detail.output
  if (seq !== head.seq || hash !== head.hash) return `the checkpoint is of another head than line ${head.seq}`
  const key = keys[epoch - 1]
  if (key === undefined) return `the checkpoint is of epoch ${epoch}, which has no public key`
  if (!verify(null, signed(head, epoch), key, Buffer.from(signature, 'base64')))
    return 'the signature of the checkpoint does not fit the public key'
  return undefined
}
