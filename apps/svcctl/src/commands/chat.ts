// svcctl chat
import { text as readAll } from 'node:stream/consumers'
import type { Client } from '@gatehouse/client'
import { type ChatMessage, isServiceError, ServiceError } from '@gatehouse/contracts'
import { Args, Flags } from '@oclif/core'
import * as v from 'valibot'
import { exchange, type Exchanged, ExchangedSchema, keepHistory, readHistory, talk } from '../conversation/talk.ts'
import { render } from '../output/failure.ts'
import { withProgress } from '../output/progress.ts'
import { wrap } from '../output/table.ts'
import { visible, visibleLines } from '../output/values.ts'
import { UnitCommand } from '../unit-command.ts'

interface Settings {
  readonly group: string
  readonly conversation: string | undefined
  readonly patience: number
  readonly signal?: AbortSignal
}

export class Chat extends UnitCommand<Exchanged[]> {
  static override summary = 'Send a message to an agent and wait for its reply.'
  static override description = 'Without a text: standard input, or at a terminal a conversation until Ctrl-D.'
  static override result = v.array(ExchangedSchema)
  static override examples = ["svcctl chat dev-agent 'hello'", "svcctl chat dev-agent 'a long question' --timeout 120"]

  static override args = {
    group: Args.string({ description: 'Agent group.', required: true }),
    text: Args.string({ description: 'Message.' }),
  }

  static override flags = {
    timeout: Flags.integer({ summary: 'Seconds to wait for the reply.', default: 60, min: 1, helpValue: 'SECONDS' }),
    conversation: Flags.string({ summary: 'Conversation; default that of the console.', helpValue: 'ID' }),
  }

  async run(): Promise<Exchanged[]> {
    const { args, flags } = await this.parse(Chat)
    const client = await this.connect(flags)
    const group = await this.resolveID('group', args.group)
    const settings = { group, conversation: flags.conversation, patience: flags.timeout * 1000 }
    if (args.text !== undefined) return [await this.send(client, settings, args.text)]
    if (process.stdin.isTTY && !this.jsonEnabled()) return await this.converse(client, settings)
    const text = (await readAll(process.stdin)).replace(/\n$/, '')
    if (text === '') throw new ServiceError('invalid', { detail: 'no message given: pass it as an argument or on stdin' })
    return [await this.send(client, settings, text)]
  }

  private async send(client: Client, settings: Settings, text: string): Promise<Exchanged> {
    return await withProgress(`Waiting for ${visible(settings.group)}`, (clear) =>
      exchange(client, { ...settings, text }, (message) => {
        clear()
        this.hear(message)
      }),
    )
  }

  private hear(message: ChatMessage): void {
    const files = (message.files ?? []).map(({ path, size }) => `[${visible(path)}, ${size} bytes]`)
    const said = [visibleLines(message.text), ...files].filter((part) => part !== '').join('\n')
    const [text, stream] = [said, message.from === 'system' ? process.stderr : process.stdout]
    // Code is to be copied as it stands.
    const lines = text.includes('```') ? [text] : text.split('\n').map((line) => wrap(line, 0, stream))
    const wrapped = lines.join('\n')
    if (message.from === 'system') this.say(wrapped)
    else this.print(wrapped)
  }

  /** A failure is told and the conversation goes on. */
  private async converse(client: Client, settings: Settings): Promise<Exchanged[]> {
    const exchanged: Exchanged[] = []
    const typed = await readHistory(this.environment, settings.group)
    this.say('Press Ctrl-D to end the conversation.')
    await talk({
      prompt: `${settings.group}> `,
      history: typed,
      say: async (line, signal) => {
        typed.unshift(line)
        try {
          exchanged.push(await this.send(client, { ...settings, signal }, line))
        } catch (error) {
          if (signal.aborted) return
          if (!isServiceError(error)) throw error
          process.stderr.write(render(error, process.stderr))
        }
      },
    })
    await keepHistory(this.environment, settings.group, typed)
    return exchanged
  }
}
