// Where a unit keeps its sockets, found by the id of the unit.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { stateFiles } from '@gatehouse/contracts'
import { getRunDirectoryName, getUnitId } from '@gatehouse/kernel'
import * as v from 'valibot'

const StateFile = v.object({ installation: v.string() })

/** Whether it runs or not. */
export const unitIdOf = ({ stateDir }: { readonly stateDir: string }): string => {
  const { installation } = v.parse(StateFile, JSON.parse(readFileSync(join(stateDir, stateFiles.state), 'utf8')))
  return getUnitId(stateDir, installation)
}

export const runDirectoryOf = async (unit: { readonly stateDir: string }): Promise<string> => {
  const own = process.env['XDG_RUNTIME_DIR']
  const base =
    process.getuid?.() === 0 ? '/run/gatehouse' : own === undefined ? `/tmp/gatehouse-${process.getuid?.() ?? 0}` : join(own, 'gatehouse')
  return join(base, getRunDirectoryName(unitIdOf(unit)))
}
