// The form of a catalog entry. Shows only the fields of its kind.
import type { ServiceError } from '@gatehouse/contracts'
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { TextArea, TextField } from '../../components/fields.tsx'
import { ProblemNote } from '../../components/problem-note.tsx'
import type { Draft } from './draft.ts'

interface EntryFormProps {
  readonly start: Draft
  /** The name is that of an entry that is there. */
  readonly fixed?: boolean
  readonly busy: boolean
  readonly problem: ServiceError | undefined
  readonly save: (draft: Draft) => void
  readonly children?: ComponentChildren
}

type Text = Exclude<keyof Draft, 'place'>

const Place = ({ draft, set }: { readonly draft: Draft; readonly set: (place: Draft['place']) => void }) => (
  <fieldset>
    <legend>Local/Remote</legend>
    {(['local', 'remote'] as const).map((place) => (
      <label key={place} class="choice">
        <input type="radio" name="place" checked={draft.place === place} onChange={() => set(place)} />
        {place === 'local' ? 'Local: the unit starts a program' : 'Remote: the unit calls a URL'}
      </label>
    ))}
  </fieldset>
)

export const EntryForm = ({ start, fixed = false, busy, problem, save, children }: EntryFormProps) => {
  const [draft, setDraft] = useState(start)
  const set = (name: Text) => (value: string) => setDraft((before) => ({ ...before, [name]: value }))
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault()
        save(draft)
      }}
    >
      <TextField label="Name" required readOnly={fixed} value={draft.name} set={set('name')} hint="1 to 64 letters, digits, ., - and _" />
      <Place draft={draft} set={(place) => setDraft((before) => ({ ...before, place }))} />
      {draft.place === 'local' ? (
        <>
          <TextField label="Command" required value={draft.command} set={set('command')} />
          <TextArea label="Arguments" value={draft.args} set={set('args')} hint="One a line." />
          <TextField
            label="Image"
            value={draft.image}
            set={set('image')}
            hint="Of the container that it runs in; leave it empty for the unit's own."
          />
          <TextArea
            label="Environment"
            value={draft.env}
            set={set('env')}
            hint="NAME=value, one a line. ${NAME} takes a variable of the host."
          />
        </>
      ) : (
        <>
          <TextField label="URL" required value={draft.url} set={set('url')} hint="https; http only for this machine itself." />
          <TextArea
            label="Auth header"
            value={draft.headers}
            set={set('headers')}
            hint="Authorization: Bearer ${NAME} takes a variable of the host, so that the secret stands in no file."
          />
        </>
      )}
      {problem !== undefined && <ProblemNote problem={problem} />}
      <p class="actions">
        {children}
        <button type="submit" disabled={busy}>
          {busy ? 'Saving …' : 'Save'}
        </button>
      </p>
    </form>
  )
}
