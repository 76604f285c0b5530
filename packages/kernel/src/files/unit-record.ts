// The record that tells other units who owns a runtime directory, and the locks that tell them whether the owner still runs. The record
// is valid while the lock beside it is held. Also the file of actions on a stopped unit
// that its gateway has not recorded in the audit log yet.
import { statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { containerEngines, exits, type HostAct, HostActs, hostActsFile, jsonBounds } from '@gatehouse/contracts'
import * as v from 'valibot'
import { sha256 } from '../canonical/canonical.ts'
import { jsonText } from '../json/parse-json.ts'
import { Refusal } from '../life/refusal.ts'
import { type Lock, takeLock } from './locks.ts'
import { errorCode, ifPresent } from './permission.ts'
import { writeAtomically } from './write-atomically.ts'

const unitIdLength = 32

/** The id of a unit. Bind mounts and renames of the state directory keep it. The caller holds the lock of the directory. */
export const getUnitId = (stateDir: string, installation: string): string => {
  const { dev, ino } = statSync(stateDir, { bigint: true })
  return sha256(`${installation}:${dev}:${ino}`).slice(0, unitIdLength)
}

/** Short, because socket paths are limited. */
export const getRunDirectoryName = (unitId: string): string => unitId.slice(0, 8)

export const unitLockName = 'unit.lock'
export const unitRecordName = 'unit.json'
/** Held by the runner, which removes the file when nothing of the unit is left. A remaining file means that something may be left. */
export const runnerLockName = 'runner.lock'

const UnitRecord = v.object({
  installation: v.string(),
  stateDir: v.string(),
  /** The unit that holds the lock, then those that held it before. */
  unitIds: v.array(v.string()),
  /** Container engines that may have containers or images of these units. */
  engines: v.array(v.picklist(containerEngines)),
  /** True in a half of a split unit. Sandboxes of the other half use the directory, so no other unit removes it. */
  isHalf: v.boolean(),
  /** State directory of a unit that holds the lock only to remove what these units left. */
  cleaner: v.optional(v.string()),
})
export type UnitRecord = v.InferOutput<typeof UnitRecord>

/** Undefined where no record can be read: no unit may remove such a directory. */
export const readUnitRecord = async (runDir: string): Promise<UnitRecord | undefined> => {
  const text = await readFile(join(runDir, unitRecordName), 'utf8').catch((error: unknown) => {
    if (['ENOENT', 'ENOTDIR', 'EACCES'].includes(String(errorCode(error)))) return ''
    throw error
  })
  const parsed = v.safeParse(v.pipe(jsonText(jsonBounds.stateFile), UnitRecord), text)
  return parsed.success ? parsed.output : undefined
}

/** The caller holds the lock. */
export const writeUnitRecord = (runDir: string, record: UnitRecord): Promise<void> =>
  writeAtomically(join(runDir, unitRecordName), `${JSON.stringify(record)}\n`)

/** A runner can outlive its supervisor briefly. */
const hasRunner = async (runDir: string): Promise<boolean> => {
  try {
    const lock = await takeLock(join(runDir, runnerLockName), { create: false })
    await lock?.release()
    return lock === undefined
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false
    throw error
  }
}

/**
 * Locks a unit of which no process runs; undefined while one does. Rejects with ENOENT where the lock file is missing; `create` creates
 * it first.
 */
export const lockUnit = async (runDir: string, options: { readonly create: boolean }): Promise<Lock | undefined> => {
  const lock = await takeLock(join(runDir, unitLockName), options)
  try {
    if (lock === undefined || !(await hasRunner(runDir))) return lock
  } catch (error) {
    await lock?.release()
    throw error
  }
  await lock.release()
  return undefined
}

const pathOf = (stateDir: string): string => join(stateDir, hostActsFile)

/** Resolves to an empty list without a file. Rejects with `Refusal` 78 for a damaged one. */
export const readHostActs = async (stateDir: string): Promise<readonly HostAct[]> => {
  const path = pathOf(stateDir)
  const text = (await ifPresent(readFile(path, 'utf8'))) ?? '[]'
  const parsed = v.safeParse(v.pipe(jsonText(jsonBounds.stateFile), HostActs), text)
  if (parsed.success) return parsed.output
  throw new Refusal(exits.configuration, {
    detail: `${path} is damaged: it is not a list of actions on the stopped unit`,
    hint: 'restore the state directory from a backup',
  })
}

/** Appends an action. The caller must hold the locks of the state directory. */
export const addHostAct = async (stateDir: string, act: HostAct): Promise<void> => {
  const acts = await readHostActs(stateDir)
  await writeAtomically(pathOf(stateDir), `${JSON.stringify([...acts, act], null, 2)}\n`)
}
