// The list of acts on a stopped unit that its gateway has not journaled yet.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { exits, type HostAct, HostActs, hostActsFile, jsonBounds } from '@gatehouse/contracts'
import * as v from 'valibot'
import { jsonText } from '../json/parse-json.ts'
import { Refusal } from '../life/refusal.ts'
import { writeAtomically } from './write-atomically.ts'
import { ifPresent } from './permission.ts'

const pathOf = (stateDir: string): string => join(stateDir, hostActsFile)

/** Empty where there is none. */
export const readHostActs = async (stateDir: string): Promise<readonly HostAct[]> => {
  const path = pathOf(stateDir)
  const text = (await ifPresent(readFile(path, 'utf8'))) ?? '[]'
  const parsed = v.safeParse(v.pipe(jsonText(jsonBounds.stateFile), HostActs), text)
  if (parsed.success) return parsed.output
  throw new Refusal(exits.configuration, {
    detail: `${path}: expected what was done to the stopped unit, got something else`,
    hint: 'restore the state directory from a backup',
  })
}

/** Nothing else may run on the state. */
export const addHostAct = async (stateDir: string, act: HostAct): Promise<void> => {
  const acts = await readHostActs(stateDir)
  await writeAtomically(pathOf(stateDir), `${JSON.stringify([...acts, act], null, 2)}\n`)
}
