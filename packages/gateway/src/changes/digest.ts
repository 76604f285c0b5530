// What exactly is approved: SHA-256 over canonical JSON (RFC 8785).
import type { Digest, Kind } from '@gatehouse/contracts'
import { digestOf } from '@gatehouse/kernel'
import type { Evidence } from '../evidence/evidence.ts'

type Json = Readonly<Record<string, unknown>>

export interface Approvable {
  readonly kind: Kind
  readonly agentGroupID: string
  readonly before: Json | null
  /** With the HMAC of each secret value in its place. */
  readonly after: Json
  readonly evidence: Evidence | null
}

export const digestOfChange = ({ kind, agentGroupID, before, after, evidence }: Approvable): Digest =>
  digestOf({ kind, agentGroupID, before, after, evidence })
