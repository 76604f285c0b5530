// How a line is made and chained to the line before it: hashes are over raw bytes, never over re-serialised JSON.
import type { AuditEntry, AuditStage } from '@gatehouse/contracts'
import { sha256 } from '@gatehouse/kernel'

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
  /** Number of the last line; 0 before the first. */
  readonly seq: number
  /** SHA-256 over the bytes of the last line, without its newline. */
  readonly hash: string
}

/** A head with the `hash` member of its line, which the next line repeats as `prev`. */
export interface Link extends Head {
  readonly prev: string
}

const zeros = '0'.repeat(64)
export const genesis: Link = { seq: 0, hash: zeros, prev: zeros }

/** A line without its place in the chain: taken down at once, so that later changes by the caller do not matter. */
export interface Draft {
  readonly input: JournalInput
  /** Its members as JSON, without the braces. */
  readonly members: string
}

export const draft = (input: JournalInput): Draft => {
  const { stage, edge, principal, by, changeID, kind, agentGroupID, detail } = input
  return { input, members: JSON.stringify({ stage, edge, principal, by, changeID, kind, agentGroupID, detail }).slice(1, -1) }
}

/** What every line begins with. */
export const prefixOf = (seq: number): string => `{"seq":${seq},"time":"`

/** What every line ends with. */
export const suffixOf = ({ prev, hash: before }: Pick<Link, 'prev' | 'hash'>): string => `,"prev":"${prev}","hash":"${before}"}`

export interface Chained {
  /** With its newline. */
  readonly bytes: Buffer
  readonly entry: AuditEntry
  readonly link: Link
}

export const chain = (last: Link, { input, members }: Draft, time: string): Chained => {
  const place = { seq: last.seq + 1, time }
  const bytes = Buffer.from(`${prefixOf(place.seq)}${time}",${members}${suffixOf(last)}\n`)
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
