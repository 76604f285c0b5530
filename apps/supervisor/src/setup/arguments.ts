// The command line of `gatehouse setup`.
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { exits } from '@gatehouse/contracts'
import { Refusal } from '@gatehouse/kernel'
import { type DisksWanted, parseDisks } from '../setup-steps/step.ts'

export const setupHelp = `gatehouse setup: prepares what needs root, once per host; changes nothing that is ready

  gatehouse setup [--dry-run | --remove] [--state-dir DIR] [--owner UID[:GID]] [--user-namespace]
                  [--disks COUNTxMIB[,...]] [--disks-dir DIR]

  --dry-run            shows what is missing and changes nothing; needs no root
  --remove             removes what setup made; a state directory or a disk that is not empty stays
  --state-dir DIR      state directory [SERVICE_STATE_DIR, /var/lib/gatehouse/state]
  --owner UID[:GID]    owner of the state directory [its present owner; else 0:0, for a unit that runs as root]
  --user-namespace     for a unit that starts sandboxes and is not root: the ids of sandboxes, mapped only for the owner
                       [pinned at SERVICE_USER_NAMESPACE, /run/gatehouse-setup/user-namespace]
  --disks COUNTxMIB    disks for its groups, such as 16x1024 or 12x1024,4x256: a group takes one of exactly its workspaceMiB. You
                       can request more later; existing disks are mounted again after a boot and never removed this way
  --disks-dir DIR      where they are, for --group-disks of the unit [SERVICE_GROUP_DISKS, /var/lib/gatehouse/disks]

Ends with 0 when everything is ready (or gone), 70 when something could not be made, 75 when another setup is running, 77 without root,
78 when something is missing that setup cannot make.
`

export interface SetupArguments {
  readonly act: 'make' | 'show' | 'remove' | 'help'
  readonly stateDir: string
  /** Null: whose the state directory is. */
  readonly owner: { readonly uid: number; readonly gid: number } | null
  /** Where that of the unit is to be pinned; null where it wants none. */
  readonly userNamespace: string | null
  /** None: nothing is done about disks of groups. */
  readonly disks: readonly DisksWanted[]
  readonly disksDir: string
}

const defaultPin = '/run/gatehouse-setup/user-namespace'

const refuse = (detail: string): Refusal => new Refusal(exits.configuration, { detail, hint: 'see gatehouse setup --help' })

const parseOwner = (text: string): NonNullable<SetupArguments['owner']> => {
  const [, uid, gid = uid] = /^(\d{1,9})(?::(\d{1,9}))?$/.exec(text) ?? []
  if (uid === undefined) throw refuse(`--owner: expected UID or UID:GID in numbers, got ${text}`)
  return { uid: Number(uid), gid: Number(gid) }
}

const options = {
  'dry-run': { type: 'boolean', default: false },
  remove: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
  'state-dir': { type: 'string' },
  owner: { type: 'string' },
  'user-namespace': { type: 'boolean', default: false },
  disks: { type: 'string' },
  'disks-dir': { type: 'string' },
} as const

const parse = (argv: readonly string[]) => {
  try {
    return parseArgs({ args: [...argv], options, strict: true, allowPositionals: false }).values
  } catch (error) {
    throw refuse(error instanceof Error ? error.message : 'the arguments cannot be read')
  }
}

export const parseSetup = (argv: readonly string[], env: Readonly<Record<string, string | undefined>>): SetupArguments => {
  const values = parse(argv)
  if (values['dry-run'] && values.remove) throw refuse('expected --dry-run or --remove, got both')
  const act = values.help ? 'help' : values.remove ? 'remove' : values['dry-run'] ? 'show' : 'make'
  const stateDir = resolve(values['state-dir'] ?? env['SERVICE_STATE_DIR'] ?? '/var/lib/gatehouse/state')
  const owner = values.owner === undefined ? null : parseOwner(values.owner)
  const pin = env['SERVICE_USER_NAMESPACE'] ?? defaultPin
  const userNamespace = values['user-namespace'] || act === 'remove' ? pin : null
  return {
    act,
    stateDir,
    owner,
    userNamespace,
    disks: parseDisks(values.disks),
    disksDir: resolve(values['disks-dir'] ?? env['SERVICE_GROUP_DISKS'] ?? '/var/lib/gatehouse/disks'),
  }
}
