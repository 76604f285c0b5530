// A catalog entry as a person fills it in: lines of text, under the names of the specification; and the entry that it stands for.
import type { CatalogEntry } from '@gatehouse/contracts'
import { splitLines } from '../../components/split-lines.ts'

export interface Draft {
  readonly name: string
  readonly place: 'local' | 'remote'
  readonly command: string
  /** One a line. */
  readonly args: string
  readonly image: string
  /** `NAME=value`, one a line. */
  readonly env: string
  readonly url: string
  /** `Name: value`, one a line; a value alone is that of `Authorization`. */
  readonly headers: string
}

export const emptyDraft: Draft = { name: '', place: 'local', command: '', args: '', image: '', env: '', url: '', headers: '' }

const joined = (values: Readonly<Record<string, string>>, between: string): string =>
  Object.entries(values)
    .map(([name, value]) => `${name}${between}${value}`)
    .join('\n')

export const draftOf = (name: string, entry: CatalogEntry): Draft =>
  entry.transport === 'http'
    ? { ...emptyDraft, name, place: 'remote', url: entry.url, headers: joined(entry.headers, ': ') }
    : {
        ...emptyDraft,
        name,
        command: entry.command,
        args: entry.args.join('\n'),
        image: entry.image ?? '',
        env: joined(entry.env, '='),
      }

const pair = (line: string, between: string): readonly [string, string] => {
  const at = line.indexOf(between)
  return at === -1 ? [line.trim(), ''] : [line.slice(0, at).trim(), line.slice(at + between.length)]
}

const header = (line: string): readonly [string, string] => {
  const found = /^([A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}):\s*(.*)$/u.exec(line.trim())
  return found === null ? ['Authorization', line.trim()] : [found[1] ?? '', found[2] ?? '']
}

/** What the form does not show stays as it is. */
const kept = (before: CatalogEntry | undefined, transport: CatalogEntry['transport']): Partial<CatalogEntry> => {
  if (before?.transport !== transport) return {}
  if (before.transport === 'http') return before
  const { imageID: _set, image: _image, ...rest } = before
  return rest
}

export const entryOf = (draft: Draft, before?: CatalogEntry): CatalogEntry =>
  draft.place === 'remote'
    ? {
        ...kept(before, 'http'),
        transport: 'http',
        url: draft.url.trim(),
        headers: Object.fromEntries(splitLines(draft.headers).map(header)),
      }
    : {
        ...kept(before, 'stdio'),
        transport: 'stdio',
        command: draft.command.trim(),
        args: splitLines(draft.args),
        env: Object.fromEntries(splitLines(draft.env).map((line) => pair(line, '='))),
        ...(draft.image.trim() !== '' && { image: draft.image.trim() }),
      }
