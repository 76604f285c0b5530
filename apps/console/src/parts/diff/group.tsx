// A group that would be made, or would be no more: what it is, and all that goes with it.
import { Untrusted } from '../untrusted.tsx'
import { Fields } from './fields.tsx'
import { TextDiff } from './text-diff.tsx'

interface Group {
  readonly id: string
  readonly name: string
  readonly agent: string
  readonly persona?: string | undefined
  readonly model?: { readonly provider: string; readonly id: string } | undefined
}

const valuesOf = ({ id, name, agent, model }: Group) => ({
  Id: id,
  Name: name,
  Agent: agent,
  Model: model === undefined ? undefined : `${model.id} of ${model.provider}`,
})

export const NewGroup = ({ group }: { readonly group: Group }) => (
  <>
    <Fields fields={Object.entries(valuesOf(group)).map(([name, after]) => ({ name, after }))} />
    {group.persona !== undefined && (
      <>
        <h3>Persona</h3>
        <TextDiff before="" after={group.persona} />
      </>
    )}
    <p class="soft">It begins with the built-in tools that every agent has, and with no tools of servers.</p>
  </>
)

export const GoneGroup = ({ name }: { readonly name: string }) => (
  <p>
    The group <Untrusted text={name} /> ends: its sessions are terminated, its grants and addresses go. Its files are kept for 7 days.
  </p>
)
