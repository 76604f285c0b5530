// How many disks of which sizes were asked for: `16x1024`, several separated by commas.
import { exits, workspaceBounds } from '@gatehouse/contracts'
import { mostDisks } from '@gatehouse/engine/premade'
import { Refusal } from '@gatehouse/kernel'

export interface DisksWanted {
  readonly count: number
  readonly MiB: number
}

const { least, most } = workspaceBounds

const refuse = (got: string, expected: string): Refusal =>
  new Refusal(exits.configuration, { detail: `--disks: expected ${expected}, got ${got}`, hint: 'see gatehouse setup --help' })

const parseOne = (text: string): DisksWanted => {
  const [, count = '', size = ''] = /^(\d{1,3})x(\d{1,8})$/.exec(text) ?? []
  if (Number(count) < 1) throw refuse(`"${text}"`, 'COUNTxMIB such as 16x1024, several separated by commas')
  if (Number(size) < least || Number(size) > most) throw refuse(`${size} MiB`, `${least} to ${most} MiB for each`)
  return { count: Number(count), MiB: Number(size) }
}

export const parseDisks = (text: string | undefined): DisksWanted[] => {
  const wanted = (text ?? '')
    .split(',')
    .filter((part) => part !== '' || text !== undefined)
    .map(parseOne)
  const all = wanted.reduce((sum, { count }) => sum + count, 0)
  if (all > mostDisks) throw refuse(`${all}`, `at most ${mostDisks} in all`)
  if (new Set(wanted.map(({ MiB }) => MiB)).size < wanted.length) throw refuse(`"${text}"`, 'each size once')
  return wanted
}
