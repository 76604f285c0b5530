// Canonical JSON (RFC 8785): the one text of a value that digests are made over.
import canonicalize from 'canonicalize'

/** Throws for text with a lone surrogate, which has no canonical form. */
export const canonical = (value: unknown): string => {
  const text = canonicalize(value)
  if (text === undefined) throw new TypeError('expected a JSON value')
  return text
}
