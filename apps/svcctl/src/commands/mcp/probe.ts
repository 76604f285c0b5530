// svcctl mcp probe
import { ProbeResult, type ToolDefinition } from '@gatehouse/contracts'
import { Args } from '@oclif/core'
import { withProgress } from '../../output/progress.ts'
import { type Column, table } from '../../output/table.ts'
import { visible } from '../../output/values.ts'
import { UnitCommand } from '../../unit-command.ts'

const argumentsOf = ({ inputSchema }: ToolDefinition): string => {
  const properties = inputSchema['properties']
  return typeof properties === 'object' && properties !== null ? Object.keys(properties).join(', ') : ''
}

const imageOf = ({ id, pinned, moved }: NonNullable<ProbeResult['image']>): string => {
  if (!pinned) return `image ${id}, not pinned: its name may lead to another one tomorrow`
  if (moved === undefined) return `image ${id}, pinned`
  return `image ${id}, pinned; its name now ${moved === null ? 'names nothing on this host' : `leads to ${moved}: add the server again with --replace to run that one`}`
}

const columns: readonly Column<ToolDefinition>[] = [
  { name: 'TOOL', value: (tool) => tool.name },
  { name: 'ARGUMENTS', value: argumentsOf },
  { name: 'DESCRIPTION', value: (tool) => tool.description ?? tool.title ?? '', flexible: true },
]

export class McpProbe extends UnitCommand<ProbeResult> {
  static override aliases = ['registry:servers:probe']
  static override summary = 'Connect to a tool server and list its tools.'
  static override description = 'Changes nothing and grants nothing.'
  static override result = ProbeResult
  static override examples = ['svcctl mcp probe sample', 'svcctl mcp probe sample --json']

  static override args = { name: Args.string({ description: 'Label of the server.', required: true }) }

  async run(): Promise<ProbeResult> {
    const { args, flags } = await this.parse(McpProbe)
    const client = await this.connect(flags)
    const name = await this.resolveID('server', args.name)
    const result = await withProgress(`Probing ${visible(name)}`, () => client.servers.probe(name))
    const { server, elapsedMs, tools } = result
    this.remark(`${visible(server.name)} ${visible(server.version)}, protocol ${visible(server.protocol)}, ${Math.round(elapsedMs)} ms`)
    if (result.image !== undefined) this.remark(imageOf(result.image))
    this.print(table(columns, tools, process.stdout))
    if (tools.length === 0) this.remark('It declares no tool.')
    return result
  }
}
