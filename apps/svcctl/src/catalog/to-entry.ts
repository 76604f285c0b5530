// A catalog entry from the flags of a command line.
import { type CatalogEntry, ServiceError, type Volume } from '@gatehouse/contracts'

export interface EntryFlags {
  readonly command?: string | undefined
  readonly arg?: string[] | undefined
  readonly env?: string[] | undefined
  readonly image?: string | undefined
  readonly volume?: string[] | undefined
  readonly data?: boolean | undefined
  readonly url?: string | undefined
  readonly header?: string[] | undefined
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

export const toEntry = (flags: EntryFlags): CatalogEntry => {
  const sharing = flags['own-per-session'] === true ? { sharing: 'session' as const } : {}
  if (flags.command !== undefined) {
    refuseForeign(flags, ['header'], '--url')
    const image = flags.image === undefined ? {} : { image: flags.image }
    const lent = flags.volume === undefined ? {} : { volumes: flags.volume.map(toVolume) }
    const data = flags.data === true ? { data: true } : {}
    const program = { command: flags.command, args: flags.arg ?? [], env: toMap('--env', flags.env) }
    return { transport: 'stdio', ...program, ...image, ...lent, ...data, ...sharing }
  }
  refuseForeign(flags, ['arg', 'env', 'image', 'volume', 'data'], '--command')
  if (flags.url === undefined) throw new ServiceError('invalid', { detail: 'expected --command or --url, got neither' })
  return { transport: 'http', url: flags.url, headers: toMap('--header', flags.header), ...sharing }
}
