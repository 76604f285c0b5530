// Command line of operations on a stopped unit.
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { exits } from '@gatehouse/contracts'
import { Refusal } from '@gatehouse/kernel'
import { loadState } from './late.ts'
import { help } from './plan/help.ts'

/** Command lines of what is done to a state while its unit is stopped. */
export interface Place {
  readonly stateDir: string
  /** Where the master key is kept when it is not in the state. */
  readonly masterKeyFile: string | null
}

type Offline =
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

const readOffline = (argv: readonly string[], env: Env): Offline => {
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

export interface OfflineOptions {
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  /** Directory of the bundles. */
  readonly release: string
  readonly write: (text: string) => void
}

type State = Awaited<ReturnType<typeof loadState>>
type Restore = Extract<Offline, { readonly command: 'restore' }>

const readPassphrase = async (path: string): Promise<string> => {
  const [line = ''] = (await readFile(path, 'utf8')).split('\n')
  if (line.trim() !== '') return line.trim()
  throw new Refusal(exits.configuration, { detail: `${path}: expected the passphrase on the first line, got an empty one` })
}

const restore = async ({ restoreUnit }: State, wanted: Restore, write: OfflineOptions['write']): Promise<void> => {
  const { file, stateDir, masterKeyFile, identities, passphraseFile } = wanted
  if (identities.length === 0 && passphraseFile === undefined)
    throw new Refusal(exits.configuration, { detail: 'expected --identity FILE or --passphrase-file FILE, which open the archive' })
  const passphrase = passphraseFile === undefined ? undefined : await readPassphrase(passphraseFile)
  const { manifest } = await restoreUnit({ file, stateDir, masterKeyFile, identityFiles: identities, passphrase })
  write(`restored ${stateDir} from the backup of ${manifest.createdAt}, up to line ${manifest.head.seq} of its journal\n`)
  if (manifest.catalog !== null) write(`its catalog lay at ${manifest.catalog}; it is mcp-catalog.json of the state directory now\n`)
  write('the unit will be frozen when it starts: look through tokens and grants, then svcctl unfreeze --reason TEXT\n')
}

const perform = async (
  state: State,
  wanted: Exclude<Offline, { readonly command: 'help' }>,
  { env, write }: OfflineOptions,
): Promise<void> => {
  if (wanted.command === 'restore') return restore(state, wanted, write)
  if (wanted.command === 'rotate') {
    const { epoch, queues } = await state.rotateKeys(wanted)
    return write(`the master key is of epoch ${epoch} now; the database and ${queues} queues were sealed again\n`)
  }
  const token = await state.resetAdmin(wanted.stateDir)
  write(`admin token minted; it is shown this once: ${token}\n`)
  if (env['SERVICE_API_TOKEN'] !== undefined || env['SERVICE_API_TOKEN_FILE'] !== undefined)
    write('SERVICE_API_TOKEN is set here: a unit that is started with it takes that token and not this one\n')
}

export const runOffline = async (options: OfflineOptions): Promise<void> => {
  const wanted = readOffline(options.argv, options.env)
  if (wanted.command === 'help') return options.write(help)
  process.umask(0o077)
  await perform(await loadState(options.release), wanted, options)
}
