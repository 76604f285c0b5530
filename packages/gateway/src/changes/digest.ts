// What exactly is approved: SHA-256 over canonical JSON (RFC 8785).
import { Digest, type Kind } from '@gatehouse/contracts'
import { sha256 } from '@gatehouse/kernel'
import canonicalize from 'canonicalize'
import * as v from 'valibot'
import type { Evidence } from '../evidence/evidence.ts'

type Json = Readonly<Record<string, unknown>>

/** Throws for text with a lone surrogate, which has no canonical form. */
export const canonical = (value: unknown): string => {
  const text = canonicalize(value)
  if (text === undefined) throw new TypeError('expected a JSON value')
  return text
}

export const digestOf = (value: unknown): Digest => v.parse(Digest, sha256(canonical(value)))

export interface Approvable {
  readonly kind: Kind
  readonly agentGroupID: string
  readonly before: Json | null
  readonly after: Json
  readonly evidence: Evidence | null
}

export const digestOfChange = ({ kind, agentGroupID, before, after, evidence }: Approvable): Digest =>
  digestOf({ kind, agentGroupID, before, after, evidence })
