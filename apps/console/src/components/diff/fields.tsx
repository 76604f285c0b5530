// Named values before and after a change. A missing value is shown as missing.
import type { CatalogEntry } from '@gatehouse/contracts'
import { Untrusted } from '../elements.tsx'

export interface Field {
  readonly name: string
  readonly before?: string | undefined
  readonly after?: string | undefined
}

const Value = ({ text, sign }: { readonly text: string | undefined; readonly sign?: 'gone' | 'new' }) =>
  text === undefined ? (
    <span class="soft">not set</span>
  ) : (
    <code class={sign}>
      <Untrusted text={text} />
    </code>
  )

/** Values before and after a change. Unchanged ones are shown once, in a soft colour; without any value before, there is one column. */
export const DiffTable = ({ fields }: { readonly fields: readonly Field[] }) => {
  const shown = fields.filter(({ before, after }) => before !== undefined || after !== undefined)
  const isNew = shown.every(({ before }) => before === undefined)
  if (shown.length === 0) return null
  return (
    <table class="diff-table">
      <thead>
        <tr>
          <th scope="col">
            <span class="unseen">Field</span>
          </th>
          {!isNew && <th scope="col">Before</th>}
          <th scope="col">{isNew ? 'Value' : 'After'}</th>
        </tr>
      </thead>
      <tbody>
        {shown.map(({ name, before, after }) => (
          <tr key={name} class={before === after ? 'same' : 'different'}>
            <th scope="row">{name}</th>
            {!isNew && (
              <td>
                <Value text={before} {...(before !== after && { sign: 'gone' })} />
              </td>
            )}
            <td>
              <Value text={after} {...(before !== after && !isNew && { sign: 'new' })} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

const One = ({ field: { name, before, after } }: { readonly field: Field }) => (
  <div class={before === after ? 'field-row' : 'field-row changed'}>
    <dt>{name}</dt>
    <dd>
      {before === after ? (
        <Value text={after} />
      ) : (
        <>
          {before !== undefined && (
            <del>
              <Value text={before} sign="gone" />
            </del>
          )}
          {before !== undefined && <span aria-hidden="true"> → </span>}
          <ins>
            <Value text={after} sign="new" />
          </ins>
        </>
      )}
    </dd>
  </div>
)

export const Fields = ({ fields }: { readonly fields: readonly Field[] }) => (
  <dl class="fields">
    {fields
      .filter(({ before, after }) => before !== undefined || after !== undefined)
      .map((field) => (
        <One key={field.name} field={field} />
      ))}
  </dl>
)

const lines = (values: Readonly<Record<string, string>>, between: string): string | undefined => {
  const rows = Object.entries(values)
  return rows.length === 0 ? undefined : rows.map(([name, value]) => `${name}${between}${value}`).join('\n')
}

/** The fields of a catalog entry under their names in the catalog file. */
export const fieldsOf = (name: string, entry: CatalogEntry): Readonly<Record<string, string | undefined>> =>
  entry.transport === 'http'
    ? {
        Name: name,
        'Local/Remote': 'Remote',
        URL: entry.url,
        'Auth header': lines(entry.headers, ': '),
        Connections: entry.sharing === 'session' ? 'one per session' : undefined,
        Reach: entry.reach,
      }
    : {
        Name: name,
        'Local/Remote': 'Local',
        Command: entry.command,
        Arguments: entry.args.length === 0 ? undefined : entry.args.join('\n'),
        Image: entry.image === '' ? undefined : entry.image,
        Environment: lines(entry.env, '='),
        Processes: entry.sharing === 'session' ? 'one per session' : undefined,
        Directories: entry.volumes?.map(({ source, target, mode }) => `${source} at ${target} (${mode})`).join('\n'),
        Data: entry.data === true ? 'private directory at /data' : undefined,
      }

/** A new catalog entry, with the field names of the catalog file. */
export const EntryDiff = ({ name, entry }: { readonly name: string; readonly entry: CatalogEntry }) => (
  <DiffTable fields={Object.entries(fieldsOf(name, entry)).map(([field, after]): Field => ({ name: field, after }))} />
)
