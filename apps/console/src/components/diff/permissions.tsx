// Members, model and limits of an agent group before and after a change.
import type { After } from '@gatehouse/contracts'
import { Untrusted } from '../elements.tsx'
import { diffNames } from './diff-mark.ts'
import { formatLimit, type LimitName, limitNames, limitTitles } from '../units.ts'
import { DiffTable, type Field } from './fields.tsx'
import { Marked } from './marked.tsx'

type Permissions = After<'permissions'>

const modelOf = (model: Permissions['model']): string | undefined => (model === undefined ? undefined : `${model.id} of ${model.provider}`)

/** What holds for a group without a limit of its own. */
const defaultOf = (name: LimitName): string => (name === 'modelTokensPerDay' ? 'unlimited' : 'unit default')

const fieldsOf = (before: Permissions, after: Permissions): Field[] => [
  ...(after.model === undefined ? [] : [{ name: 'Model', before: modelOf(before.model), after: modelOf(after.model) }]),
  ...limitNames.flatMap((name): Field[] => {
    const value = after.limits?.[name]
    const had = before.limits?.[name]
    return value === undefined
      ? []
      : [{ name: limitTitles[name], before: had === undefined ? defaultOf(name) : formatLimit(name, had), after: formatLimit(name, value) }]
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
    <DiffTable fields={fieldsOf(before, after)} />
    {after.members !== undefined && <Names title="Members" before={people(before.members)} after={people(after.members)} />}
    {after.members?.length === 0 && <p class="note warn">With no members, anyone who can post to one of its addresses can talk to it.</p>}
    {after.providerTools !== undefined && <Names title="Provider tools" before={before.providerTools ?? []} after={after.providerTools} />}
  </>
)
