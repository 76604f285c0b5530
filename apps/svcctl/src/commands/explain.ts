// svcctl explain
import { styleText } from 'node:util'
import { codes, Explanation } from '@gatehouse/contracts'
import { Args } from '@oclif/core'
import { wrap } from '../output/table.ts'
import { visible } from '../output/visible.ts'
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

export class Explain extends UnitCommand<Explanation> {
  static override summary = 'Say which grant, pin, limit or freeze decides over a call, and why.'
  static override description = 'The tool is named as the agent sees it: SERVER__TOOL. Ends with 6 where the call is refused.'
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
    if (!explanation.allowed) process.exitCode = codes.forbidden.exit
    return explanation
  }
}
