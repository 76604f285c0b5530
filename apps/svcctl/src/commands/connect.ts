// svcctl connect
import { AgentGroupID, clientRole, ServiceError, Token } from '@gatehouse/contracts'
import { wallMs } from '@gatehouse/kernel'
import { Args, Flags } from '@oclif/core'
import * as v from 'valibot'
import { type ClientName, clientNames, openConfiguration, writeConfiguration } from '../clients/formats.ts'
import { UnitCommand } from '../unit-command.ts'

/** The secret is in the configuration only, and that only where it was not written to a file. */
const Connected = v.strictObject({ ...Token.entries, path: v.optional(v.string()), configuration: v.optional(v.string()) })
type Connected = v.InferOutput<typeof Connected>

const day = 24 * 60 * 60_000
const days = 90

const inDays = (): string => new Date(wallMs() + days * day).toISOString()

export class Connect extends UnitCommand<Connected> {
  static override summary = 'Let an MCP client outside of a sandbox use the tools of an agent group.'
  static override description =
    'Makes a client token for one group whose agent is external, and prints or writes the configuration of the client. The token is never shown again; svcctl token revoke ends it.'
  static override result = Connected
  static override examples = [
    'svcctl connect desk --client claude-code --write',
    'svcctl connect desk --client codex --name desk-codex --write',
    'svcctl connect desk --client json --expires 2099-01-31T09:30:00Z',
  ]

  static override args = { group: Args.string({ description: 'Agent group whose agent is external.', required: true }) }

  static override flags = {
    client: Flags.string({ summary: 'Program that is to connect.', options: [...clientNames], default: 'json' }),
    write: Flags.boolean({ summary: "Write the client's own file, which only you may read then." }),
    show: Flags.boolean({ summary: 'Print the token on a terminal, whose screen others may see.', exclusive: ['write'] }),
    name: Flags.string({ summary: 'Name of the token; without it: the group.', helpValue: 'NAME' }),
    entry: Flags.string({ summary: 'Name of the entry in the configuration.', helpValue: 'NAME', default: 'gatehouse' }),
    expires: Flags.string({ summary: `When the token ends; without it: in ${days} days.`, helpValue: 'TIME' }),
    force: Flags.boolean({ summary: 'Write over an entry of this name.' }),
  }

  async run(): Promise<Connected> {
    const { args, flags } = await this.parse(Connect)
    if (!flags.write && !flags.show && this.toPeople) {
      throw new ServiceError('invalid', {
        detail: 'expected --write or a pipe for the token, since stdout is a terminal',
        hint: `svcctl connect ${args.group} --client ${flags.client} --write; or add --show`,
      })
    }
    const configuration = await openConfiguration({
      client: flags.client as ClientName,
      name: v.parse(v.pipe(v.string(), v.regex(/^[A-Za-z0-9_-]{1,64}$/)), flags.entry),
      url: new URL('/mcp', flags.addr).href,
      write: flags.write,
      force: flags.force,
      environment: this.environment,
    })
    const client = await this.connect(flags)
    const { token, ...made } = await client.tokens.create({
      name: flags.name ?? args.group,
      role: clientRole,
      groups: [v.parse(AgentGroupID, args.group)],
      expiresAt: flags.expires ?? inDays(),
    })
    const text = configuration.textWith(token)
    if (configuration.path === undefined) {
      this.print(text)
      return { ...made, configuration: text }
    }
    await writeConfiguration(configuration.path, text)
    this.remark(`Wrote ${configuration.path}. Start the client again; svcctl token revoke ${made.name} ends its access.`)
    return { ...made, path: configuration.path }
  }
}
