// The processes of the unit, and its version beside that of this program.
import { version } from '../version.ts'
import { type Check, fail, pass, notAnswered, type Verdict, warn } from './check.ts'

export const processes: Check = {
  name: 'processes',
  run: async ({ unit }) => {
    const found = unit
    if (!found.reached) return [notAnswered]
    const { status } = found
    const found1 = status.processes.flatMap(({ name, state, restarts }): Verdict[] => {
      if (state !== 'ready') return [fail(`${name} is ${state}`, { advice: 'look for its last lines in the log of the unit' })]
      return restarts > 3
        ? [warn(`${name} was started again ${restarts} times`, { advice: 'look for its last lines in the log of the unit' })]
        : []
    })
    const other =
      status.version === version
        ? []
        : [warn(`the unit is version ${status.version}, svcctl ${version}`, { advice: 'use the svcctl of the same release' })]
    return found1.length + other.length === 0
      ? [pass(`${status.processes.length} ready, version ${status.version}`)]
      : [...found1, ...other]
  },
}
