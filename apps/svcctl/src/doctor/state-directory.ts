// The directory of the unit's state on this host: that it is the one that the unit holds, that it is one, and that it is nobody
// else's.
import { stat } from 'node:fs/promises'
import type { Place } from '../journal/unit-directory.ts'
import { type Check, fail, notChecked, pass, quoted, type Verdict } from './check.ts'

const name = { advice: 'name the directory of that unit with --state-dir, or its address with --addr' }

const origin = (place: Place): string => {
  if (place.status === 'proven') return 'held by the unit'
  return 'why' in place ? place.why : 'the only one of this host'
}

const judge = async (directory: string, place: Place): Promise<Verdict> => {
  const path = quoted(directory)
  const found = await stat(directory).catch(() => undefined)
  if (found === undefined) return fail(`there is nothing at ${directory}`, `mkdir -p -m 0700 ${path}`)
  if (!found.isDirectory()) return fail(`${directory} is no directory`, `mv ${path} ${path}.moved && mkdir -m 0700 ${path}`)
  const mode = found.mode & 0o777
  if (mode !== 0o700) return fail(`${directory} has mode 0${mode.toString(8)}, expected 0700`, `chmod 0700 ${path}`)
  return pass(`${directory}, ${origin(place)}`)
}

export const stateDirectory: Check = {
  name: 'state-directory',
  run: async ({ stateDir, place }) => {
    if (place.status === 'refused') return [fail(place.why, name)]
    if (place.status === 'unknown') return [notChecked(place.why, name)]
    return stateDir === undefined ? [] : [await judge(stateDir, place)]
  },
}
