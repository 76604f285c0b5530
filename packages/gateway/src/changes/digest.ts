// What exactly is approved: SHA-256 over canonical JSON (RFC 8785).
import { Digest, type Kind } from '@gatehouse/contracts'
import { canonical, sha256 } from '@gatehouse/kernel'
import * as v from 'valibot'
import type { Evidence } from '../evidence/evidence.ts'

export { canonical } from '@gatehouse/kernel'

type Json = Readonly<Record<string, unknown>>

export const digestOf = (value: unknown): Digest => v.parse(Digest, sha256(canonical(value)))

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
