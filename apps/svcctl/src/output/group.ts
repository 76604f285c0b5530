// One agent group for people: what it is, what it may use, where it listens.
import type { AgentGroup, GrantView, Wired } from '@gatehouse/contracts'
import { visible, visibleLines } from './visible.ts'
import { wrap } from './wrap.ts'

interface Shown {
  readonly group: AgentGroup
  readonly grants: readonly GrantView[]
  readonly wirings: readonly Wired[]
}

const field = (name: string, value: string): string[] =>
  value === '' ? [] : [`${name.padEnd(10)} ${wrap(visible(value), 11, process.stdout)}`]

const section = (name: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : ['', name, ...lines.map((line) => `  ${line}`)]

/** Why a grant that stands does not allow what it names. */
const troubles = (grant: GrantView): string[] => [
  ...(grant.state === 'active' ? [] : [grant.state]),
  ...(grant.expired ? ['expired'] : []),
  ...(grant.exhausted ? ['exhausted'] : []),
  ...(grant.serverChanged ? ['another server than the approved one'] : []),
  ...grant.changed.map((tool) => `changed: ${tool}`),
  ...grant.added.map((tool) => `not there at the approval: ${tool}`),
]

const grantLine = (grant: GrantView): string => {
  const tools = grant.tools.length === 0 ? 'every tool' : grant.tools.join(', ')
  const bounds = [
    ...(grant.expiresAt === undefined ? [] : [`until ${grant.expiresAt}`]),
    ...(grant.maxCalls === undefined ? [] : [`${grant.calls} of ${grant.maxCalls} calls`]),
  ]
  return visible(`${grant.server}: ${[tools, ...bounds, ...troubles(grant)].join('; ')}`)
}

const wiringLine = ({ channel, address, engage, pattern, session }: Wired): string =>
  visible(`${channel} ${address}: ${engage}${pattern === undefined ? '' : ` /${pattern}/`}, session ${session}`)

export const renderGroup = ({ group, grants, wirings }: Shown): string => {
  const { model, limits } = group
  const lines = [
    ...field('id', group.id),
    ...field('name', group.name),
    ...field('agent', group.agent),
    ...field('model', model === undefined ? '' : `${model.provider}/${model.id}`),
    ...field('made', `${group.createdAt} by ${group.origin}`),
    ...field('tools', group.tools.join(', ')),
    ...field('provider', group.providerTools.join(', ')),
    ...field('members', group.members.map(({ channel, user }) => `${channel}:${user}`).join(', ')),
    ...field(
      'limits',
      Object.entries(limits)
        .map(([name, value]) => `${name}=${value}`)
        .join(', '),
    ),
    ...section('Persona', group.persona === '' ? [] : visibleLines(group.persona).split('\n')),
    ...section('Grants', grants.map(grantLine)),
    ...section(
      'Mounts',
      group.mounts.map(({ source, target, mode }) => visible(`${source} at ${target}, ${mode}`)),
    ),
    ...section('Wirings', wirings.map(wiringLine)),
  ]
  return `${lines.join('\n')}\n`
}
