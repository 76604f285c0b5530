// svcctl group show
import { AgentGroup, GrantView, Wired } from '@gatehouse/contracts'
import { Args } from '@oclif/core'
import * as v from 'valibot'
import { readAllPages } from '../../connection/pages.ts'
import { wrap } from '../../output/table.ts'
import { visible, visibleLines } from '../../output/values.ts'
import { UnitCommand } from '../../unit-command.ts'

/** One agent group for people: what it is, what it may use, where it listens. */
interface GroupDetails {
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

const renderGroup = ({ group, grants, wirings }: GroupDetails): string => {
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

const Shown = v.strictObject({ group: AgentGroup, grants: v.array(GrantView), wirings: v.array(Wired) })
type Shown = v.InferOutput<typeof Shown>

export class GroupShow extends UnitCommand<Shown> {
  static override summary = 'Show one agent group: what it is, what it may use, where it listens.'
  static override description = 'Grants and wirings are shown with it.'
  static override result = Shown
  static override examples = ['svcctl group show dev-agent', 'svcctl group show dev-agent --json']

  static override args = { id: Args.string({ description: 'Id of the group.', required: true }) }

  async run(): Promise<Shown> {
    const { args, flags } = await this.parse(GroupShow)
    const client = await this.connect(flags)
    const id = await this.resolveID('group', args.id)
    const [group, grants, wirings] = await Promise.all([
      client.groups.show(id),
      readAllPages((cursor) => client.grants.list({ cursor, agentGroupID: id })),
      readAllPages((cursor) => client.wirings.list({ cursor, agentGroupID: id })),
    ])
    this.print(renderGroup({ group, grants, wirings }))
    return { group, grants, wirings }
  }
}
