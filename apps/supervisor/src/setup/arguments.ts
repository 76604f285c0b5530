// What `gatehouse setup` was asked for.
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { exits } from '@gatehouse/contracts'
import { Refusal } from '@gatehouse/kernel'

export const setupHelp = `gatehouse setup: makes ready what needs root, once for each host; changes nothing that is ready already

  gatehouse setup [--dry-run | --remove] [--state-dir DIR] [--owner UID[:GID]]

  --dry-run            shows what lacks, and changes nothing; needs no root
  --remove             takes away what it made; a state directory with something in it stays
  --state-dir DIR      what lasts [SERVICE_STATE_DIR, /var/lib/gatehouse/state]
  --owner UID[:GID]    whose the state directory is [0:0, for a unit that runs as root]

Ends with 0 when everything is ready (or gone), 77 without root, 78 when something lacks that it cannot make.
`

export interface SetupArguments {
  readonly act: 'make' | 'show' | 'remove' | 'help'
  readonly stateDir: string
  readonly owner: { readonly uid: number; readonly gid: number }
}

const refuse = (detail: string): Refusal => new Refusal(exits.configuration, { detail, hint: 'see gatehouse setup --help' })

const parseOwner = (text: string): SetupArguments['owner'] => {
  const [, uid, gid = uid] = /^(\d{1,9})(?::(\d{1,9}))?$/.exec(text) ?? []
  if (uid === undefined) throw refuse(`--owner: expected UID or UID:GID in numbers, got ${text}`)
  return { uid: Number(uid), gid: Number(gid) }
}

const options = {
  'dry-run': { type: 'boolean', default: false },
  remove: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
  'state-dir': { type: 'string' },
  owner: { type: 'string', default: '0:0' },
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
  return { act, stateDir, owner: parseOwner(values.owner) }
}
