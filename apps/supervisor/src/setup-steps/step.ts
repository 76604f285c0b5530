// One setup step: something on the host that a unit needs and only root can create. It can be checked, created and removed.
import { exits, workspaceBounds } from '@gatehouse/contracts'
import { mostDisks } from '@gatehouse/engine/premade'
import { isRefusal, Refusal } from '@gatehouse/kernel'

export interface Site {
  readonly stateDir: string
  /** Whose the state directory is. */
  readonly owner: { readonly uid: number; readonly gid: number }
  /** Where the user namespace of a unit without root is pinned; null where it has none. */
  readonly userNamespace: string | null
  /** Disks for groups; none: they are not looked at. */
  readonly disks: readonly DisksWanted[]
  readonly disksDir: string
  /** `/etc`, but in tests. */
  readonly etc: string
  /** `/dev`, but in tests. */
  readonly dev: string
  /** What is kept until the next boot: `/run/gatehouse-setup`, but in tests. */
  readonly run: string
}

export type Condition =
  | { readonly state: 'ready'; readonly says: string }
  | { readonly state: 'lacking'; readonly says: string }
  /** Somebody must decide: nothing is changed. */
  | { readonly state: 'blocked'; readonly says: string }

export interface Step {
  readonly name: string
  /** Default: always. What is not wanted is neither looked at nor made; taken away it is all the same. */
  isWanted?(site: Site): boolean
  /** Changes nothing. */
  look(site: Site): Promise<Condition>
  /** Called where it lacks. */
  make(site: Site): Promise<void>
  /** Called where it is blocked: takes back what is there and would be unsafe. */
  withdraw?(site: Site): Promise<void>
  /** Takes away what `make` made and nothing else; says what stays, if something does. */
  remove(site: Site): Promise<string | undefined>
}

/** How many disks of which sizes were asked for: `16x1024`, several separated by commas. */
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

/** Why something was not made, in words for a table. */
export const reasonOf = (error: unknown): string => {
  if (isRefusal(error)) return error.hint === undefined ? error.detail : `${error.detail}; try: ${error.hint}`
  return error instanceof Error ? error.message : 'unknown error'
}
