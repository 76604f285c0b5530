// svcctl model list
import { ModelList as Listed, type ProviderView } from '@gatehouse/contracts'
import { type Column, table } from '../../output/table.ts'
import { UnitCommand } from '../../unit-command.ts'

const columns: readonly Column<ProviderView>[] = [
  { name: 'PROVIDER', value: (provider) => provider.name },
  { name: 'HOST', value: (provider) => provider.host },
  { name: 'PATHS', value: (provider) => provider.paths.join(' '), flexible: true },
]

const spent: readonly Column<Listed['spending'][number]>[] = [
  { name: 'GROUP', value: (group) => group.agentGroupID },
  { name: 'TOKENS TODAY', value: (group) => String(group.tokens) },
  { name: 'RESERVED', value: (group) => String(group.reserved) },
]

export class ModelList extends UnitCommand<Listed> {
  static override summary = 'List the providers of models that this unit has a key for, and the tokens that groups took today.'
  static override description = 'Keys are never shown. The day begins at midnight, UTC.'
  static override result = Listed
  static override examples = ['svcctl model list', 'svcctl model list --json']

  async run(): Promise<Listed> {
    const { flags } = await this.parse(ModelList)
    const client = await this.connect(flags)
    const listed = await client.models.list()
    this.print(table(columns, listed.items, process.stdout))
    if (listed.items.length === 0) this.remark('This unit has no key for a provider. Start it with one, such as ANTHROPIC_API_KEY.')
    else if (listed.spending.length > 0) this.print(table(spent, listed.spending, process.stdout))
    return listed
  }
}
