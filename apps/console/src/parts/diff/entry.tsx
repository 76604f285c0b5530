// A tool server for the catalog, as the fields in which an operator writes it down.
import type { CatalogEntry } from '@gatehouse/contracts'
import { type Field, Fields } from './fields.tsx'

const lines = (values: Readonly<Record<string, string>>, between: string): string | undefined => {
  const rows = Object.entries(values)
  return rows.length === 0 ? undefined : rows.map(([name, value]) => `${name}${between}${value}`).join('\n')
}

/** With the names that the specification gives them. */
export const fieldsOf = (name: string, entry: CatalogEntry): Readonly<Record<string, string | undefined>> =>
  entry.transport === 'http'
    ? {
        Name: name,
        'Local/Remote': 'Remote',
        URL: entry.url,
        'Auth header': lines(entry.headers, ': '),
        Connections: entry.sharing === 'session' ? 'one a session' : undefined,
        Reach: entry.reach,
      }
    : {
        Name: name,
        'Local/Remote': 'Local',
        Command: entry.command,
        Arguments: entry.args.length === 0 ? undefined : entry.args.join('\n'),
        Image: entry.image === '' ? undefined : entry.image,
        Environment: lines(entry.env, '='),
        Processes: entry.sharing === 'session' ? 'one a session' : undefined,
        Directories: entry.volumes?.map(({ source, target, mode }) => `${source} at ${target} (${mode})`).join('\n'),
        Data: entry.data === true ? 'a directory of its own at /data' : undefined,
      }

export const EntryDiff = ({ name, entry }: { readonly name: string; readonly entry: CatalogEntry }) => (
  <Fields fields={Object.entries(fieldsOf(name, entry)).map(([field, after]): Field => ({ name: field, after }))} />
)
