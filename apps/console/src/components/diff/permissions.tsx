// Members, model and limits of an agent group before and after a change.
import type { After } from '@gatehouse/contracts'
import { Untrusted } from '../elements.tsx'
import { diffNames } from './diff-mark.ts'
import { type Field, Fields } from './fields.tsx'
import { Marked } from './marked.tsx'

type Permissions = After<'permissions'>

const limitNames: Readonly<Record<string, string>> = {
  modelTokensPerDay: 'Tokens of the model a day',
  callsPerMinute: 'Calls a minute',
  memoryMiB: 'Memory, MiB',
  cpus: 'Processors',
  processes: 'Processes',
  workspaceMiB: 'Workspace, MiB',
}

const modelOf = (model: Permissions['model']): string | undefined => (model === undefined ? undefined : `${model.id} of ${model.provider}`)

const fieldsOf = (before: Permissions, after: Permissions): Field[] => [
  ...(after.model === undefined ? [] : [{ name: 'Model', before: modelOf(before.model), after: modelOf(after.model) }]),
  ...Object.entries(after.limits ?? {}).flatMap(([name, value]) => {
    const had = Object.entries(before.limits ?? {}).find(([key]) => key === name)?.[1]
    return value === undefined
      ? []
      : [{ name: limitNames[name] ?? name, before: had === undefined ? 'the usual' : String(had), after: String(value) }]
  }),
]

interface NamesProps {
  readonly title: string
  readonly before: readonly string[]
  readonly after: readonly string[]
}

const Names = ({ title, before, after }: NamesProps) => (
  <>
    <h3>{title}</h3>
    <ul class="marks">
      {diffNames(before, after).map(({ name, turn }) => (
        <Marked key={name} turn={turn}>
          <Untrusted text={name} />
        </Marked>
      ))}
    </ul>
  </>
)

const people = (members: Permissions['members']): string[] => (members ?? []).map(({ channel, user }) => `${user} on ${channel}`)

export const PermissionsDiff = ({ before, after }: { readonly before: Permissions; readonly after: Permissions }) => (
  <>
    <Fields fields={fieldsOf(before, after)} />
    {after.members !== undefined && <Names title="Who may talk to it" before={people(before.members)} after={people(after.members)} />}
    {after.members?.length === 0 && (
      <p class="note warn">Without members everybody may talk to it who can write to one of its addresses.</p>
    )}
    {after.providerTools !== undefined && (
      <Names title="Tools at the provider of the model" before={before.providerTools ?? []} after={after.providerTools} />
    )}
  </>
)
