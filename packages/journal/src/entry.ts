// A line read back: the one place where bytes of a journal become an entry.
import { AuditEntry } from '@gatehouse/contracts'
import * as v from 'valibot'

/** Undefined for bytes that are no entry. */
export const parseEntry = (bytes: Buffer): AuditEntry | undefined => {
  try {
    const parsed = v.safeParse(AuditEntry, JSON.parse(bytes.toString()))
    return parsed.success ? parsed.output : undefined
  } catch {
    return undefined
  }
}
