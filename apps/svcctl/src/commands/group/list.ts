// svcctl group list
import { AgentGroup } from '@gatehouse/contracts'
import * as v from 'valibot'
import { readAllPages } from '../../connection/pages.ts'
import { age } from '../../output/age.ts'
import { type Column, table } from '../../output/table.ts'
import { UnitCommand } from '../../unit-command.ts'

const columns: readonly Column<AgentGroup>[] = [
  { name: 'ID', value: (group) => group.id },
  { name: 'NAME', value: (group) => group.name, flexible: true },
  { name: 'AGENT', value: (group) => group.agent },
  { name: 'MODEL', value: ({ model }) => (model === undefined ? '-' : `${model.provider}/${model.id}`) },
  { name: 'TOOLS', value: (group) => String(group.tools.length) },
  { name: 'AGE', value: (group) => age(group.createdAt), plain: (group) => group.createdAt },
]

export class GroupList extends UnitCommand<AgentGroup[]> {
  static override summary = 'List the agent groups.'
  static override description = 'Into a pipe: tab-separated, without a header, with times instead of ages.'
  static override result = v.array(AgentGroup)
  static override examples = ['svcctl group list', 'svcctl group list --json']

  async run(): Promise<AgentGroup[]> {
    const { flags } = await this.parse(GroupList)
    const client = await this.connect(flags)
    const groups = await readAllPages((cursor) => client.groups.list({ cursor }))
    this.print(table(columns, groups, process.stdout))
    if (groups.length === 0) this.remark('There is no agent group. Try: svcctl group create my-agent --agent mock')
    return groups
  }
}
