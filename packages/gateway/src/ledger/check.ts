// The whole journal read and verified, at most once at a time: whoever asks meanwhile gets the same answer.
import type { AuditVerdict } from '@gatehouse/contracts'
import type { Journal } from '@gatehouse/journal'
import type { Logger } from '@gatehouse/kernel'

export interface Check {
  run(): Promise<AuditVerdict>
}

const judge = async ({ journal, log }: { readonly journal: Pick<Journal, 'verify'>; readonly log: Logger }): Promise<AuditVerdict> => {
  const verdict = await journal.verify()
  if (!verdict.ok) log.error('the journal is not what it was', { line: verdict.line, reason: verdict.reason })
  return verdict
}

export const createCheck = (deps: Parameters<typeof judge>[0]): Check => {
  let running: Promise<AuditVerdict> | undefined
  return {
    run: () => {
      running ??= judge(deps).finally(() => {
        running = undefined
      })
      return running
    },
  }
}
