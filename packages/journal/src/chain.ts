// Builds a line and chains it to the previous one. Hashes cover the raw bytes, never re-serialised JSON. A checkpoint is a line
// in which the holder of the master key signs the head before it.
import { type KeyObject, sign, verify } from 'node:crypto'
import type { AuditEntry, AuditStage } from '@gatehouse/contracts'
import { sha256 } from '@gatehouse/kernel'
import type { Rows } from '@gatehouse/store'
import * as v from 'valibot'

export interface JournalInput {
  readonly stage: AuditStage
  readonly edge: string
  readonly principal: string
  readonly by?: string | undefined
  readonly changeID?: string | undefined
  readonly kind?: string | undefined
  readonly agentGroupID?: string | undefined
  readonly detail: Record<string, unknown>
}

export interface Head {
  /** Sequence number of the last line; 0 for an empty journal. */
  readonly seq: number
  /** SHA-256 of the bytes of the last line, without its newline. */
  readonly hash: string
}

/** A head and the `hash` member of its line, which the next line repeats as `prev`. */
export interface Link extends Head {
  readonly prev: string
}

const zeros = '0'.repeat(64)
export const genesis: Link = { seq: 0, hash: zeros, prev: zeros }

/** A line that is not chained yet. It is serialised at once, so that the caller may modify its objects afterwards. */
export interface Draft {
  readonly input: JournalInput
  /** The members as JSON, without the braces. */
  readonly members: string
}

export const draft = (input: JournalInput): Draft => {
  const { stage, edge, principal, by, changeID, kind, agentGroupID, detail } = input
  return { input, members: JSON.stringify({ stage, edge, principal, by, changeID, kind, agentGroupID, detail }).slice(1, -1) }
}

/** The beginning of every line. */
export const formatPrefix = (seq: number): string => `{"seq":${seq},"time":"`

/** The end of every line. */
export const formatSuffix = ({ prev, hash: before }: Pick<Link, 'prev' | 'hash'>): string => `,"prev":"${prev}","hash":"${before}"}`

interface Chained {
  /** The line with its newline. */
  readonly bytes: Buffer
  readonly entry: AuditEntry
  readonly link: Link
}

export const chain = (last: Link, { input, members }: Draft, time: string): Chained => {
  const place = { seq: last.seq + 1, time }
  const bytes = Buffer.from(`${formatPrefix(place.seq)}${time}",${members}${formatSuffix(last)}\n`)
  const { by, changeID, kind, agentGroupID } = input
  const entry = {
    ...place,
    stage: input.stage,
    edge: input.edge,
    principal: input.principal,
    ...(by !== undefined && { by }),
    ...(changeID !== undefined && { changeID }),
    ...(kind !== undefined && { kind }),
    ...(agentGroupID !== undefined && { agentGroupID }),
    detail: input.detail,
    prev: last.prev,
    hash: last.hash,
  }
  return { bytes, entry, link: { seq: place.seq, hash: sha256(bytes.subarray(0, -1)), prev: last.hash } }
}

export const readHead = async (rows: Pick<Rows, 'get'>): Promise<Head> =>
  (await rows.get<Head>('SELECT seq, hash FROM head WHERE one = 1')) ?? { seq: genesis.seq, hash: genesis.hash }

/** Maximum number of lines between two checkpoints. */
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

/** The checkpoint in an entry; undefined for other entries. */
export const checkpointIn = ({ stage, detail }: Pick<AuditEntry, 'stage' | 'detail'>): Checkpoint | undefined => {
  const parsed = v.safeParse(Detail, detail)
  return stage === 'checkpoint' && parsed.success ? parsed.output : undefined
}

/**
 * Why the checkpoint in `entry`, which follows `head`, is invalid; undefined if it is valid.
 *
 * @param keys by epoch, the first at index 0
 */
export const checkpointFault = (entry: AuditEntry, head: Head, keys: readonly KeyObject[]): string | undefined => {
  const detail = v.safeParse(Detail, entry.detail)
  if (!detail.success) return 'the checkpoint has no seq, hash, epoch or signature'
  const { seq, hash, epoch, signature } = detail.output
  if (seq !== head.seq || hash !== head.hash) return `the checkpoint does not match the head at line ${head.seq}`
  const key = keys[epoch - 1]
  if (key === undefined) return `the checkpoint is of epoch ${epoch}, which has no public key`
  if (!verify(null, signed(head, epoch), key, Buffer.from(signature, 'base64')))
    return 'the signature of the checkpoint does not match the public key'
  return undefined
}
