// svcctl group list
import { AgentGroup } from '@gatehouse/contracts'
import * as v from 'valibot'
import { readAllPages } from '../../connection/pages.ts'
import { ListCommand } from '../../unit-command.ts'
import type { Column } from '../../output/table.ts'
import { age } from '../../output/values.ts'

const columns: readonly Column<AgentGroup>[] = [
  { name: 'ID', value: (group) => group.id },
  { name: 'NAME', value: (group) => group.name, flexible: true, drop: 1 },
  { name: 'AGENT', value: (group) => group.agent },
  { name: 'MODEL', value: ({ model }) => (model === undefined ? '-' : `${model.provider}/${model.id}`), drop: 3 },
  { name: 'TOOLS', value: (group) => String(group.tools.length), drop: 2 },
  { name: 'AGE', value: (group) => age(group.createdAt), plain: (group) => group.createdAt },
]

export class GroupList extends ListCommand<AgentGroup> {
  static override summary = 'List the agent groups.'
  static override description = 'In a pipe: tab-separated, without a header, with times instead of ages.'
  static override result = v.array(AgentGroup)
  static override examples = ['svcctl group list', 'svcctl group list --json id,agent']

  async run(): Promise<AgentGroup[]> {
    const { flags } = await this.parse(GroupList)
    const client = await this.connect(flags)
    return await this.list({
      watch: flags.watch,
      read: () => readAllPages((cursor) => client.groups.list({ cursor })),
      columns: () => columns,
      empty: 'No agent groups. Create one: svcctl group create my-agent --agent mock',
      ids: ['group', ({ id }) => id],
    })
  }
}
