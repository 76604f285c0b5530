// A second verifier, written only from the description of the format. Each of its checks can be disabled.
import { type KeyObject, verify } from 'node:crypto'
import { sha256 } from '@gatehouse/kernel'
import { entryOf } from './forge.ts'
import type { Head } from '../src/index.ts'
import { checkpointIn } from '../src/chain.ts'
import { type Contents, split } from './written.ts'

export interface Checks {
  readonly chain: boolean
  /** Checks signatures. */
  readonly key: KeyObject | undefined
  readonly head: Head | undefined
}

const parse = (bytes: Buffer): ReturnType<typeof entryOf> | undefined => {
  try {
    return entryOf(bytes)
  } catch {
    return undefined
  }
}

const zeros = '0'.repeat(64)

const fits = (bytes: Buffer, last: Head & { prev: string }, { chain, key }: Checks): boolean => {
  const entry = parse(bytes)
  if (entry === undefined || entry === null || bytes.at(-1) !== 0x0a || entry.seq !== last.seq + 1) return false
  if (chain && (entry.hash !== last.hash || entry.prev !== last.prev)) return false
  if (key === undefined || entry.stage !== 'checkpoint') return true
  const signed = checkpointIn(entry)
  if (signed === undefined || signed.seq !== last.seq || signed.hash !== last.hash) return false
  return verify(null, Buffer.from(`${signed.seq}:${signed.hash}:${signed.epoch}`), key, Buffer.from(signed.signature, 'base64'))
}

/** True if it finds no fault. */
export const passes = (files: Contents, checks: Checks): boolean => {
  const { head } = checks
  let last = { seq: 0, hash: zeros, prev: zeros }
  for (const content of files) {
    if (content === undefined) continue
    for (const bytes of split(content)) {
      if (!fits(bytes, last, checks)) return false
      last = { seq: last.seq + 1, hash: sha256(bytes.subarray(0, -1)), prev: entryOf(bytes).hash }
      if (head?.seq === last.seq && head.hash !== last.hash) return false
    }
  }
  return head === undefined || head.seq <= last.seq
}
