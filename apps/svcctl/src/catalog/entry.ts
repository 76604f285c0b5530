// A catalog entry from the flags of a command line: the flags, a new entry, an edited one.
import { type CatalogEntry, type LocalEntry, type RemoteEntry, ServiceError, type Volume } from '@gatehouse/contracts'
import { Flags } from '@oclif/core'

export interface EntryFlags {
  readonly command?: string | undefined
  readonly arg?: string[] | undefined
  readonly env?: string[] | undefined
  readonly image?: string | undefined
  readonly volume?: string[] | undefined
  readonly data?: boolean | undefined
  readonly url?: string | undefined
  readonly header?: string[] | undefined
  readonly oauth?: boolean | undefined
  readonly scope?: string[] | undefined
  readonly 'own-per-session'?: boolean | undefined
}

/** The value is never repeated in a message. */
const toPair = (flag: string, pair: string): [string, string] => {
  const at = pair.indexOf('=')
  if (at < 1) throw new ServiceError('invalid', { detail: `expected NAME=VALUE after ${flag}, got something without a name and =` })
  return [pair.slice(0, at), pair.slice(at + 1)]
}

const toMap = (flag: string, pairs: readonly string[] = []): Record<string, string> =>
  Object.fromEntries(pairs.map((pair) => toPair(flag, pair)))

/** A path has no colon here; what else is wrong with one the unit says. */
const toVolume = (text: string): Volume => {
  const [source, target, mode = 'ro', ...rest] = text.split(':')
  if (source === undefined || target === undefined || rest.length > 0 || (mode !== 'ro' && mode !== 'rw'))
    throw new ServiceError('invalid', {
      detail: `expected SOURCE:TARGET, SOURCE:TARGET:ro or SOURCE:TARGET:rw after --volume, got ${text}`,
    })
  return { source, target, mode }
}

const refuseForeign = (flags: EntryFlags, names: readonly (keyof EntryFlags)[], needs: string): void => {
  const foreign = names.find((name) => flags[name] !== undefined && flags[name] !== false)
  if (foreign !== undefined) throw new ServiceError('invalid', { detail: `expected --${foreign} together with ${needs}` })
}

const sharingOf = (flags: EntryFlags) => (flags['own-per-session'] === true ? { sharing: 'session' as const } : {})

export const toLocalEntry = (flags: EntryFlags & { readonly command: string }): LocalEntry => {
  refuseForeign(flags, ['header', 'oauth', 'scope'], '--url')
  const image = flags.image === undefined ? {} : { image: flags.image }
  const lent = flags.volume === undefined ? {} : { volumes: flags.volume.map(toVolume) }
  const data = flags.data === true ? { data: true } : {}
  const program = { command: flags.command, args: flags.arg ?? [], env: toMap('--env', flags.env) }
  return { transport: 'stdio', ...program, ...image, ...lent, ...data, ...sharingOf(flags) }
}

const toAuth = ({ oauth, scope }: EntryFlags): Pick<RemoteEntry, 'auth'> => {
  if (oauth !== true) {
    if (scope !== undefined) throw new ServiceError('invalid', { detail: 'expected --scope together with --oauth' })
    return {}
  }
  return { auth: { type: 'oauth', grant: 'authorization_code', ...(scope !== undefined && { scopes: scope }) } }
}

export const toEntry = (flags: EntryFlags): CatalogEntry => {
  const { command } = flags
  if (command !== undefined) return toLocalEntry({ ...flags, command })
  refuseForeign(flags, ['arg', 'env', 'image', 'volume', 'data'], '--command')
  if (flags.url === undefined) throw new ServiceError('invalid', { detail: 'expected --command or --url, got neither' })
  return { transport: 'http', url: flags.url, headers: toMap('--header', flags.header), ...sharingOf(flags), ...toAuth(flags) }
}

/** The flags of a catalog entry. */
const repeated = { multiple: true, multipleNonGreedy: true } as const

export const entryFlags = {
  command: Flags.string({ summary: 'Program of a local server.', helpValue: 'PROGRAM', exclusive: ['url'] }),
  arg: Flags.string({
    summary: 'Argument of the program; may be given several times, --arg=-x for one that begins with a dash.',
    helpValue: 'TEXT',
    ...repeated,
  }),
  env: Flags.string({ summary: 'Variable of the program; may be given several times.', helpValue: 'NAME=VALUE', ...repeated }),
  image: Flags.string({ summary: 'Container image that the program runs in.', helpValue: 'REF' }),
  volume: Flags.string({
    summary: 'Host path mounted in the container of the server; repeatable.',
    helpValue: 'SOURCE:TARGET[:ro|rw]',
    ...repeated,
  }),
  data: Flags.boolean({ summary: 'Give the program a private directory at /data that outlives its container.' }),
  url: Flags.string({ summary: 'Address of a remote server; https, or http on this machine.', helpValue: 'URL' }),
  'own-per-session': Flags.boolean({ summary: 'Give each session a connection, and a local server a process, of its own.' }),
  oauth: Flags.boolean({ summary: 'The server wants a login by OAuth: see svcctl mcp login.' }),
  scope: Flags.string({ summary: 'Scope that a login may ask for; may be given several times.', helpValue: 'SCOPE', ...repeated }),
  header: Flags.string({ summary: 'Header of each request; may be given several times.', helpValue: 'NAME=VALUE', ...repeated }),
}

/** Another image has another id, which the unit finds. */
const editLocal = ({ imageID, ...entry }: LocalEntry, flags: EntryFlags): CatalogEntry => {
  const changed = toEntry({ ...flags, command: flags.command ?? entry.command, arg: flags.arg ?? entry.args })
  if (changed.transport !== 'stdio') return changed
  const kept = imageID === undefined || flags.image !== undefined ? {} : { imageID }
  return { ...entry, ...kept, ...changed, env: { ...entry.env, ...changed.env } }
}

const editRemote = (entry: RemoteEntry, flags: EntryFlags): CatalogEntry => {
  const changed = toEntry({ ...flags, url: flags.url ?? entry.url })
  return changed.transport === 'http' ? { ...entry, ...changed, headers: { ...entry.headers, ...changed.headers } } : changed
}

/** Variables and headers are added to those that are there; arguments and volumes are replaced as a whole. */
export const editEntry = (entry: CatalogEntry, flags: EntryFlags): CatalogEntry => {
  if (entry.transport === 'stdio') return flags.url === undefined ? editLocal(entry, flags) : toEntry(flags)
  return flags.command === undefined ? editRemote(entry, flags) : toEntry(flags)
}
