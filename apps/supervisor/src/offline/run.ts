// Does what a command line asks of a stopped unit, and says what came of it.
import { readFile } from 'node:fs/promises'
import { exits } from '@gatehouse/contracts'
import { Refusal } from '@gatehouse/kernel'
import { help } from '../plan/help.ts'
import { loadState } from '../late.ts'
import { type Offline, readOffline } from './arguments.ts'

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
    return write(`the master key is of epoch ${epoch} now; the database and ${queues} queues were sealed anew\n`)
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
