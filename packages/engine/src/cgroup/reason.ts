// Why a sandbox ended, as far as the kernel counted it: engines do not say, or say it wrong.
import type { Exit } from '../driver.ts'
import type { Usage } from './counters.ts'

/** Whoever was refused a process and went on was not ended by it. */
export const reasonOf = (exit: Exit, { memoryKills, refusedProcesses }: Pick<Usage, 'memoryKills' | 'refusedProcesses'>): Exit => {
  if (memoryKills > 0) return { ...exit, reason: 'out-of-memory' }
  return refusedProcesses > 0 && exit.code !== 0 ? { ...exit, reason: 'out-of-processes' } : exit
}
