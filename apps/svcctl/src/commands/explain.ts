// svcctl explain
import { styleText } from 'node:util'
import { codes, Explanation, toolSeparator } from '@gatehouse/contracts'
import { Args } from '@oclif/core'
import { wrap } from '../output/table.ts'
import { visible } from '../output/values.ts'
import { UnitCommand } from '../unit-command.ts'

const render = ({ allowed, code, summary, steps }: Explanation): string => {
  const stream = process.stdout
  const word = allowed ? 'allowed' : `refused: ${code ?? 'unknown'}`
  const verdict = styleText(allowed ? 'green' : 'red', word, { stream })
  const width = Math.max(0, ...steps.map(({ check }) => check.length))
  const lines = steps.map(({ check, passed, detail }) => {
    const sign = passed ? styleText('green', '✓', { stream }) : styleText('red', '✗', { stream })
    return `${sign} ${visible(check).padEnd(width)}  ${wrap(visible(detail), width + 4, stream)}`
  })
  // Behind the verdict in a pipe, where a line is a record; below it where people read.
  const head = stream.isTTY ? [verdict, wrap(visible(summary), 0, stream), ''] : [`${verdict}  ${visible(summary)}`]
  return [...head, ...lines].join('\n')
}

/** The command that asks for a call that is refused; undefined where no command does. */
const remedy = ({ allowed, code }: Explanation, group: string, exposed: string): string | undefined => {
  const [server = '', tool = ''] = exposed.split(toolSeparator)
  if (allowed || tool === '') return undefined
  if (code === 'frozen') return `svcctl unfreeze --group ${group} --reason TEXT`
  const canAsk = code === 'not-granted' || code === 'revoked' || code === 'definition-changed'
  return canAsk ? `svcctl mcp grant ${server} --group ${group} --tool ${tool}` : undefined
}

export class Explain extends UnitCommand<Explanation> {
  static override summary = 'Explain why a tool call is allowed or denied.'
  static override description =
    'Shows the grant, pin, limit or freeze that decides. The tool is named as the agent sees it: SERVER__TOOL. Exits with 6 for a call that is refused, and prints the command that requests it.'
  static override result = Explanation
  static override examples = ['svcctl explain dev-agent sample__echo', 'svcctl explain dev-agent sample__echo --json']

  static override args = {
    group: Args.string({ description: 'Agent group.', required: true }),
    tool: Args.string({ description: 'Tool, as SERVER__TOOL.', required: true }),
  }

  async run(): Promise<Explanation> {
    const { args, flags } = await this.parse(Explain)
    const client = await this.connect(flags)
    const group = await this.resolveID('group', args.group)
    const explanation = await client.explain(group, args.tool)
    this.print(render(explanation))
    const next = remedy(explanation, group, args.tool)
    if (next !== undefined) this.say(`${explanation.code === 'frozen' ? 'Lift the freeze' : 'Request it'}: ${visible(next)}`)
    if (!explanation.allowed) process.exitCode = codes.forbidden.exit
    return explanation
  }
}
