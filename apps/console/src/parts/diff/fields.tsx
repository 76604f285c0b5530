// Named values as they are and as they would be; a value that is not there is said to be so.
import { Untrusted } from '../untrusted.tsx'

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
