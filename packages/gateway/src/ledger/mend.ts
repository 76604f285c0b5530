// Comes back by itself to a journal or database that failed, until all is well, so that nobody has to act for it.
import { limits } from '@gatehouse/contracts'
import { backoff } from '@gatehouse/kernel'

export interface Mend {
  /** Something is wrong: it is tried again after a pause, as often as it takes. */
  wake(): void
  close(): void
}

/** @param attempt true when all is well */
export const createMend = (attempt: () => Promise<boolean>): Mend => {
  const pauses = backoff({ first: limits.auditRetryFirst, most: limits.auditRetryMost })
  let timer: NodeJS.Timeout | undefined
  let closed = false

  const run = async (): Promise<void> => {
    const well = await attempt().catch(() => false)
    timer = undefined
    if (well) pauses.reset()
    else wake()
  }
  const wake = (): void => {
    if (closed) return
    timer ??= setTimeout(() => void run(), pauses.next()).unref()
  }
  return {
    wake,
    close: () => {
      closed = true
      clearTimeout(timer)
    },
  }
}
