// Other units of the same installation on this host, such as one whose state directory was moved or restored since: those that have
// ended. A unit has ended when its lock can be taken and its runner is gone. In doubt it is taken for a running one, and left alone.
import { readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type Lock, lockUnit, type Logger, readUnitRecord, type UnitRecord, writeUnitRecord } from '@gatehouse/kernel'

export interface EndedUnit extends Pick<UnitRecord, 'unitIds' | 'engines'> {
  readonly runDir: string
}

export interface Place {
  readonly installation: string
  readonly stateDir: string
  readonly runDir: string
  readonly log: Logger
}

const describe = (runDir: string, { stateDir }: UnitRecord) => ({ runDir, stateDir })

/** Undefined where the unit runs, or where nobody can tell. */
const lockOf = async (runDir: string, record: UnitRecord, log: Logger): Promise<Lock | undefined> => {
  try {
    const lock = await lockUnit(runDir, { create: false })
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

/** Its own start meanwhile is told who holds the lock. */
const clean = async (runDir: string, { stateDir }: Place, act: (unit: EndedUnit) => Promise<void>): Promise<void> => {
  // What was read before the lock was held may have changed.
  const record = await readUnitRecord(runDir)
  if (record === undefined) return
  await writeUnitRecord(runDir, { ...record, cleaner: stateDir })
  await act({ runDir, unitIds: record.unitIds, engines: record.engines })
}

/** Calls `act` for each of them, one after the other. None of them starts in the meantime. */
export const forEachEndedUnit = async (place: Place, act: (unit: EndedUnit) => Promise<void>): Promise<void> => {
  const { installation, runDir, log } = place
  const base = dirname(runDir)
  for (const name of await readdir(base).catch(() => [])) {
    const path = join(base, name)
    if (path === runDir) continue
    const record = await readUnitRecord(path)
    if (record?.installation !== installation || record.isHalf) continue
    const lock = await lockOf(path, record, log)
    try {
      if (lock !== undefined) await clean(path, place, act)
    } finally {
      await lock?.release()
    }
  }
}
