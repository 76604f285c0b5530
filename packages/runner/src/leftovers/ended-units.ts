// Other units of the same installation on this host, such as one whose state directory was moved or restored since: those that have
// ended. A unit has ended when its lock can be taken. In doubt it is taken for a running one, and left alone.
import { readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type Lock, type Logger, readUnitRecord, takeLock, unitLockName, type UnitRecord } from '@gatehouse/kernel'

export interface EndedUnit {
  readonly runDir: string
  readonly unitIds: readonly string[]
}

export interface Place {
  readonly installation: string
  readonly runDir: string
  readonly log: Logger
}

const describe = (runDir: string, { stateDir }: UnitRecord) => ({ runDir, stateDir })

/** Undefined where the unit runs, or where nobody can tell. */
const lockOf = async (runDir: string, record: UnitRecord, log: Logger): Promise<Lock | undefined> => {
  try {
    const lock = await takeLock(join(runDir, unitLockName), { create: false })
    if (lock === undefined) log.info('another unit with the same installation id is running; it is left alone', describe(runDir, record))
    return lock
  } catch (error) {
    log.warn('cannot tell whether a unit with the same installation id is running; it is left alone', {
      ...describe(runDir, record),
      error,
    })
    return undefined
  }
}

/** Calls `act` for each of them, one after the other. None of them starts in the meantime. */
export const forEachEndedUnit = async ({ installation, runDir, log }: Place, act: (unit: EndedUnit) => Promise<void>): Promise<void> => {
  const base = dirname(runDir)
  for (const name of await readdir(base).catch(() => [])) {
    const path = join(base, name)
    if (path === runDir) continue
    const record = await readUnitRecord(path)
    if (record?.installation !== installation) continue
    const lock = await lockOf(path, record, log)
    try {
      if (lock !== undefined) await act({ runDir: path, unitIds: record.unitIds })
    } finally {
      await lock?.release()
    }
  }
}
