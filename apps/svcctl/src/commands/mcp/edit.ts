// svcctl mcp edit
import { PutServerAnswer } from '@gatehouse/contracts'
import { Args } from '@oclif/core'
import { editEntry, entryFlags } from '../../catalog/entry.ts'
import { UnitCommand } from '../../unit-command.ts'

export class McpEdit extends UnitCommand<PutServerAnswer> {
  static override aliases = ['registry:servers:edit']
  static override summary = 'Change the entry of a tool server.'
  static override description =
    'Fields that you do not name stay as they are, stored values included. Exits with 5 if someone else changed the entry in the meantime. Grants apply only to the entry that was approved.'
  static override result = PutServerAnswer
  static override examples = [
    'svcctl mcp edit sample --arg main.mjs --arg=-v',
    "svcctl mcp edit far --url https://mcp.example.org/v2 --header 'Authorization=Bearer ${SEARCH_TOKEN}'",
  ]

  static override args = { name: Args.string({ description: 'Label of the server.', required: true }) }

  static override flags = { ...entryFlags }

  async run(): Promise<PutServerAnswer> {
    const { args, flags } = await this.parse(McpEdit)
    const client = await this.connect(flags)
    const name = await this.resolveID('server', args.name)
    const { entry, tag } = await client.servers.show(name)
    const answer = await client.servers.put(name, editEntry(entry, flags), { ifMatch: tag })
    for (const { agentGroupID } of answer.grants)
      this.say(`The grant of ${agentGroupID} applied to the previous entry and no longer applies.`)
    return answer
  }
}
