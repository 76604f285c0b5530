// Command lines of what is done to a state while its unit is stopped.
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { exits } from '@gatehouse/contracts'
import { Refusal } from '@gatehouse/kernel'

export interface Place {
  readonly stateDir: string
  /** Where the master key is kept when it is not in the state. */
  readonly masterKeyFile: string | null
}

export type Offline =
  | { readonly command: 'help' }
  | (Place & { readonly command: 'reset-admin' })
  | (Place & { readonly command: 'rotate' })
  | (Place & {
      readonly command: 'restore'
      readonly file: string
      readonly identities: readonly string[]
      readonly passphraseFile: string | undefined
    })

type Env = Readonly<Record<string, string | undefined>>

const words = ['restore', 'token', 'keys']

/** True where the command line names an act on a stopped unit, and is not that of a unit to be started. */
export const isOffline = (argv: readonly string[]): boolean => words.includes(argv[0] ?? '')

const usage = (detail: string): Refusal => new Refusal(exits.configuration, { detail, hint: 'gatehouse --help' })

const options = {
  'state-dir': { type: 'string' },
  identity: { type: 'string', multiple: true },
  'passphrase-file': { type: 'string' },
  help: { type: 'boolean' },
} as const

const read = (argv: readonly string[]) => {
  try {
    return parseArgs({ args: [...argv], options, allowPositionals: true, strict: true })
  } catch (error) {
    throw usage(error instanceof Error ? error.message : String(error))
  }
}

export const readOffline = (argv: readonly string[], env: Env): Offline => {
  const { values, positionals } = read(argv)
  if (values.help === true) return { command: 'help' }
  const external = env['SERVICE_MASTER_KEY_FILE']
  const place: Place = {
    stateDir: resolve(values['state-dir'] ?? env['SERVICE_STATE_DIR'] ?? '/var/lib/gatehouse/state'),
    masterKeyFile: external === undefined || external === '' ? null : resolve(external),
  }
  const [first, second, ...rest] = positionals
  if (first === 'restore' && second !== undefined && rest.length === 0)
    return { ...place, command: 'restore', file: second, identities: values.identity ?? [], passphraseFile: values['passphrase-file'] }
  if (values.identity !== undefined || values['passphrase-file'] !== undefined)
    throw usage('--identity and --passphrase-file are for gatehouse restore')
  if (first === 'token' && second === 'reset-admin' && rest.length === 0) return { ...place, command: 'reset-admin' }
  if (first === 'keys' && second === 'rotate' && rest.length === 0) return { ...place, command: 'rotate' }
  throw usage(
    `expected gatehouse restore FILE, gatehouse token reset-admin or gatehouse keys rotate, got gatehouse ${positionals.join(' ')}`,
  )
}
