// What is to be kept elsewhere: the last line, the last signature, and the key that proves it.
import type { AuditHead } from '@gatehouse/contracts'
import type { Journal } from '@gatehouse/journal'

export const auditHead = (journal: Journal): AuditHead => {
  const { seq, hash } = journal.head()
  return { seq, hash, checkpoint: journal.checkpoint(), publicKey: journal.publicKey }
}
