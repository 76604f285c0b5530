// Whose a runtime directory is: a record for other units, valid as long as the lock beside it is held.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { jsonBounds } from '@gatehouse/contracts'
import * as v from 'valibot'
import { jsonText } from '../json/parse-json.ts'
import { codeOf } from './permission.ts'
import { writeAtomically } from './write-atomically.ts'

export const unitLockName = 'unit.lock'
export const unitRecordName = 'unit.json'

const UnitRecord = v.object({
  installation: v.string(),
  stateDir: v.string(),
  /** Of the unit that holds the lock, then of those that held it before. */
  unitIds: v.array(v.string()),
})
export type UnitRecord = v.InferOutput<typeof UnitRecord>

/** Undefined where there is none that can be read: such a directory is nobody's to remove. */
export const readUnitRecord = async (runDir: string): Promise<UnitRecord | undefined> => {
  const text = await readFile(join(runDir, unitRecordName), 'utf8').catch((error: unknown) => {
    if (['ENOENT', 'ENOTDIR', 'EACCES'].includes(String(codeOf(error)))) return ''
    throw error
  })
  const parsed = v.safeParse(v.pipe(jsonText(jsonBounds.stateFile), UnitRecord), text)
  return parsed.success ? parsed.output : undefined
}

/** The caller holds the lock. */
export const writeUnitRecord = (runDir: string, record: UnitRecord): Promise<void> =>
  writeAtomically(join(runDir, unitRecordName), `${JSON.stringify(record)}\n`)
