// Changes to an agent group: created, removed, its routes and its built-in tools.
import type { BuiltinTool, WiringTerms } from '@gatehouse/contracts'
import type { InferOutput } from 'valibot'
import { Untrusted } from '../elements.tsx'
import { diffNames } from './diff-mark.ts'
import { DiffTable, type Field } from './fields.tsx'
import { Marked } from './marked.tsx'
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
    <DiffTable fields={Object.entries(valuesOf(group)).map(([name, after]) => ({ name, after }))} />
    {group.persona !== undefined && (
      <>
        <h3>Persona</h3>
        <TextDiff before="" after={group.persona} />
      </>
    )}
    <p class="soft">It starts with the default built-in tools and without any server tools.</p>
  </>
)

export const GoneGroup = ({ name }: { readonly name: string }) => (
  <p>
    The group <Untrusted text={name} /> is removed: its sessions are terminated, its grants and channels end. Its files are kept for 7 days.
  </p>
)

export type Terms = InferOutput<typeof WiringTerms>

const engagements = { all: 'every message', mention: 'messages that mention it', pattern: 'messages that match the pattern' } as const
const sessions = { shared: 'one shared session', thread: 'one per thread', person: 'one per person' } as const

const wiringFields = ({ channel, address, engage, pattern, session }: Terms): Readonly<Record<string, string | undefined>> => ({
  Channel: channel,
  Address: address,
  Answers: engagements[engage],
  Pattern: pattern,
  Sessions: sessions[session],
})

const names = ['Channel', 'Address', 'Answers', 'Pattern', 'Sessions']

/** A route from a channel address to the agent. Null: there is none. */
export const WiringDiff = ({ before, after }: { readonly before: Terms | null; readonly after: Terms | null }) => {
  const had = before === null ? {} : wiringFields(before)
  const has = after === null ? {} : wiringFields(after)
  return (
    <>
      {after === null && <p>The address is disconnected from this agent.</p>}
      <DiffTable fields={names.map((name): Field => ({ name, before: had[name], after: has[name] }))} />
    </>
  )
}

const meanings: Readonly<Record<BuiltinTool, string>> = {
  read_file: 'reads files in its workspace and mounts',
  write_file: 'writes files in its workspace and in writable mounts',
  list_dir: 'lists directories',
  search: 'searches through files',
  send_message: 'replies; always on',
  read_persona: 'reads its own instructions',
  remember: 'keeps notes for later sessions',
  run_script: 'runs programs that it writes itself, inside the sandbox',
  request_capability_change: 'requests changes, which a person decides; always on',
}

const meaningOf = (name: string): string | undefined => Object.entries(meanings).find(([tool]) => tool === name)?.[1]

interface ToolsProps {
  readonly before: readonly string[]
  readonly after: readonly string[]
}

/** Built-in tools that are turned on and off, with what each lets an agent do. */
export const ToolsDiff = ({ before, after }: ToolsProps) => (
  <ul class="marks">
    {diffNames(before, after).map(({ name, turn }) => (
      <Marked key={name} turn={turn}>
        <code>
          <Untrusted text={name} />
        </code>{' '}
        <span class="soft">{meaningOf(name)}</span>
      </Marked>
    ))}
  </ul>
)
