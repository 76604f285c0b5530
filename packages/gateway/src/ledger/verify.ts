// Verifies the whole journal, once for all concurrent callers, and compares it with the head in the database.
import type { AuditHead, AuditVerdict } from '@gatehouse/contracts'
import { type Journal, readHead } from '@gatehouse/journal'
import type { Logger } from '@gatehouse/kernel'
import type { Store } from '@gatehouse/store'
import type { Ledger } from './ledger.ts'

export interface Check {
  run(): Promise<AuditVerdict>
}

export interface CheckDeps {
  readonly journal: Pick<Journal, 'verify'>
  readonly store: Pick<Store, 'read'>
  readonly ledger: Pick<Ledger, 'mismatch'>
  readonly log: Logger
}

const verify = async ({ journal, store, ledger }: CheckDeps): Promise<AuditVerdict> => {
  const seen = await readHead(store.read)
  const verdict = await journal.verify([{ ...seen, source: 'the last line that the database holds' }])
  const reason = ledger.mismatch()
  return verdict.ok && reason !== undefined ? { ok: false, line: seen.seq + 1, reason } : verdict
}

const verifyAndLog = async (deps: CheckDeps): Promise<AuditVerdict> => {
  const verdict = await verify(deps)
  if (!verdict.ok) deps.log.error('journal verification failed', { line: verdict.line, reason: verdict.reason })
  return verdict
}

export const createCheck = (deps: CheckDeps): Check => {
  let running: Promise<AuditVerdict> | undefined
  return {
    run: () => {
      running ??= verifyAndLog(deps).finally(() => {
        running = undefined
      })
      return running
    },
  }
}

/** The head to keep outside the unit: the last record, the last signature, and the public key. */
export const auditHead = (journal: Journal): AuditHead => {
  const { seq, hash } = journal.head()
  return { seq, hash, checkpoint: journal.checkpoint(), publicKey: journal.publicKey }
}
