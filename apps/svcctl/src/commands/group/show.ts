// svcctl group show
import { AgentGroup, GrantView, Wired } from '@gatehouse/contracts'
import * as v from 'valibot'
import { everyPage } from '../../connection/every-page.ts'
import { renderGroup } from '../../output/group.ts'
import { Args } from '@oclif/core'
import { UnitCommand } from '../../unit-command.ts'

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
    const [group, grants, wirings] = await Promise.all([
      client.groups.show(args.id),
      everyPage((cursor) => client.grants.list({ cursor, agentGroupID: args.id })),
      everyPage((cursor) => client.wirings.list({ cursor, agentGroupID: args.id })),
    ])
    this.print(renderGroup({ group, grants, wirings }))
    return { group, grants, wirings }
  }
}
