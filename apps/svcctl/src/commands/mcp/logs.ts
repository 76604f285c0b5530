// svcctl mcp logs
import { setTimeout as pause } from 'node:timers/promises'
import { ServerLogLine } from '@gatehouse/contracts'
import { Args, Flags } from '@oclif/core'
import * as v from 'valibot'
import { visible } from '../../output/values.ts'
import { UnitCommand } from '../../unit-command.ts'

/** Milliseconds between two questions for what is new. */
const pollTime = 1_000

/** Whole: what a server says of its trouble is often at the end of a long line. */
const written = ({ at, session, text }: ServerLogLine): string =>
  [at, ...(session === undefined ? [] : [session]), visible(text)].join('  ')

export class McpLogs extends UnitCommand<ServerLogLine[]> {
  static override summary = 'Show what a local tool server wrote to its stderr.'
  static override description =
    'The unit keeps the last lines of each server, also of one that has ended. With -f it goes on until Ctrl-C. Values of variables are masked. Needs the role approver.'
  static override result = v.array(ServerLogLine)
  static override examples = ['svcctl mcp logs sample', 'svcctl mcp logs sample --limit 20 --json']

  static override args = { name: Args.string({ description: 'Label of the server.', required: true }) }

  static override flags = {
    follow: Flags.boolean({ char: 'f', summary: 'Follow new lines until Ctrl-C.', exclusive: ['json'] }),
    limit: Flags.integer({ summary: 'Maximum number of lines, newest first.', default: 200, min: 1, max: 2000, helpValue: 'NUMBER' }),
  }

  async run(): Promise<ServerLogLine[]> {
    const { args, flags } = await this.parse(McpLogs)
    const client = await this.connect(flags)
    const name = await this.resolveID('server', args.name)
    const first = await client.servers.logs(name, { limit: flags.limit })
    this.show(first.items)
    if (first.items.length === 0) this.remark('No lines since the unit started.')
    let after = first.next
    while (flags.follow) {
      await pause(pollTime)
      const { items, next } = await client.servers.logs(name, { after })
      this.show(items)
      after = next
    }
    return first.items
  }

  private show(lines: readonly ServerLogLine[]): void {
    this.print(lines.map(written).join('\n'))
  }
}
