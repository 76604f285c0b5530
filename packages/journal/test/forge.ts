// Forgeries that are possible without the master key: correctly chained lines, and checkpoints signed with another key.
import { generateKeyPairSync, type KeyObject, sign, verify } from 'node:crypto'
import type { AuditEntry } from '@gatehouse/contracts'
import { sha256 } from '@gatehouse/kernel'
import { checkpointIn } from '../src/chain.ts'

const zeros = '0'.repeat(64)
const otherKey = generateKeyPairSync('ed25519').privateKey

export const entryOf = (bytes: Buffer): AuditEntry => JSON.parse(bytes.toString()) as AuditEntry

/** An entry as the line after `before`, which includes its newline; undefined for the first line. */
export const chained = (entry: AuditEntry, before: Buffer | undefined): Buffer => {
  const last = before === undefined ? { seq: 0, hash: zeros } : entryOf(before)
  const hash = before === undefined ? zeros : sha256(before.subarray(0, -1))
  return Buffer.from(`${JSON.stringify({ ...entry, seq: last.seq + 1, prev: last.hash, hash })}\n`)
}

export const checkpointing = ['left as they are', 'with the old signature', 'signed with another key'] as const

/** A checkpoint adapted to the previous line, as far as that is possible without the key. */
const renewed = (entry: AuditEntry, before: Buffer, how: (typeof checkpointing)[number]): AuditEntry => {
  const checkpoint = checkpointIn(entry)
  if (checkpoint === undefined || how === 'left as they are') return entry
  const head = { seq: entryOf(before).seq, hash: sha256(before.subarray(0, -1)) }
  const message = Buffer.from(`${head.seq}:${head.hash}:${checkpoint.epoch}`)
  const signature = how === 'with the old signature' ? checkpoint.signature : sign(null, message, otherKey).toString('base64')
  return { ...entry, detail: { ...checkpoint, ...head, signature } }
}

/** All lines from `from` on, chained again. */
export const rechained = (lines: readonly Buffer[], from: number, how: (typeof checkpointing)[number] = 'left as they are'): Buffer[] => {
  const forged = lines.slice(0, from)
  for (const bytes of lines.slice(from)) {
    const before = forged.at(-1)
    const entry = entryOf(bytes)
    forged.push(chained(before === undefined ? entry : renewed(entry, before, how), before))
  }
  return forged
}

/** The same head signed with another key. */
export const signedAnew = (bytes: Buffer, before: Buffer): Buffer =>
  Buffer.from(`${JSON.stringify(renewed(entryOf(bytes), before, 'signed with another key'))}\n`)

/** False for a checkpoint with another signature or another head than that of the previous line. */
export const holds = (bytes: Buffer, before: Buffer | undefined, key: KeyObject): boolean => {
  const checkpoint = checkpointIn(entryOf(bytes))
  if (checkpoint === undefined || before === undefined) return true
  const { seq, hash, epoch, signature } = checkpoint
  const same = seq === entryOf(before).seq && hash === sha256(before.subarray(0, -1))
  return same && verify(null, Buffer.from(`${seq}:${hash}:${epoch}`), key, Buffer.from(signature, 'base64'))
}
