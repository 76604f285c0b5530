// svcctl change watch
import { News } from '@gatehouse/contracts'
import { Flags } from '@oclif/core'
import * as v from 'valibot'
import { untilInterrupted } from '../../input/ask.ts'
import { visible } from '../../output/values.ts'
import { UnitCommand } from '../../unit-command.ts'

const wanted = (news: News, group: string | undefined): boolean =>
  news.changeID !== undefined && (group === undefined || news.agentGroupID === group)

const line = (news: News, toPeople: boolean): string => {
  const { time, stage, changeID = '', kind = '', agentGroupID = '', principal } = news
  const cells = [toPeople ? time.slice(11, 19) : time, stage, changeID, kind, agentGroupID, principal].map(visible)
  return toPeople ? cells.map((cell, index) => cell.padEnd([8, 12, 28, 12, 14, 0][index] ?? 0)).join('  ') : cells.join('\t')
}

export class ChangeWatch extends UnitCommand<News[]> {
  static override summary = 'Print changes as they are submitted and decided.'
  static override description = 'One line each, until Ctrl-C or --count lines. With --json one JSON object a line, then nothing.'
  static override result = v.array(News)
  static override examples = ['svcctl change watch --count 1', 'svcctl change watch --group dev-agent --count 1 --json']

  static override flags = {
    group: Flags.string({ summary: 'Filter by agent group.', helpValue: 'ID' }),
    count: Flags.integer({ summary: 'Exit after this number of events.', helpValue: 'NUMBER', min: 1 }),
  }

  async run(): Promise<News[]> {
    const { flags } = await this.parse(ChangeWatch)
    const client = await this.connect(flags)
    const told: News[] = []
    await untilInterrupted(async (signal) => {
      for await (const event of client.events({ signal, onOpen: () => this.remark('Watching. Press Ctrl-C to stop.') })) {
        if (event.type === 'gap') this.say(`Some events were missed, up to line ${event.head} of the journal. Try: svcctl audit`)
        else if (wanted(event.news, flags.group)) told.push(this.tell(event.news))
        if (flags.count !== undefined && told.length >= flags.count) return
      }
    })
    return told
  }

  private tell(news: News): News {
    this.print(line(news, this.toPeople))
    return news
  }
}
