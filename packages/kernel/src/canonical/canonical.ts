// Canonical JSON (RFC 8785): the one text of a value that digests are made over.
import type { Digest } from '@gatehouse/contracts'
import canonicalize from 'canonicalize'
import { sha256 } from './sha256.ts'

/** Throws for text with a lone surrogate, which has no canonical form. */
export const canonical = (value: unknown): string => {
  const text = canonicalize(value)
  if (text === undefined) throw new TypeError('expected a JSON value')
  return text
}

/** Over its canonical text. Throws as `canonical` does. */
export const digestOf = (value: unknown): Digest => sha256(canonical(value))
