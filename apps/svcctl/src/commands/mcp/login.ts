// svcctl mcp login
import { setTimeout as pause } from 'node:timers/promises'
import { limits, LoginProgress, ServiceError } from '@gatehouse/contracts'
import { Args } from '@oclif/core'
import { withProgress } from '../../output/progress.ts'
import { visible } from '../../output/values.ts'
import { UnitCommand } from '../../unit-command.ts'

/** Milliseconds between two looks whether the browser has come back. */
const lookAgain = 1_000

export class McpLogin extends UnitCommand<LoginProgress> {
  static override summary = 'Log the unit in at a remote tool server.'
  static override description =
    'For a server whose entry has auth with the grant authorization_code. It prints an address for your browser and waits until you have logged in there. The token stays with the unit; nobody is shown it.'
  static override result = LoginProgress
  static override examples = ['svcctl mcp login far']

  static override args = { name: Args.string({ description: 'Label of the server.', required: true }) }

  async run(): Promise<LoginProgress> {
    const { args, flags } = await this.parse(McpLogin)
    const client = await this.connect(flags)
    const name = await this.resolveID('server', args.name)
    const { id, url, expiresAt } = await client.servers.beginLogin(name)
    // On stderr with --json too: nobody could log in without it.
    process.stderr.write(`Open this address in your own browser and log in there. It is valid until ${expiresAt}:\n\n  ${visible(url)}\n\n`)
    const progress = await withProgress('Waiting for the browser', async () => {
      const until = performance.now() + limits.loginTime
      while (performance.now() < until) {
        const now = await client.servers.finishLogin(name, id)
        if (now.status === 'done') return now
        await pause(lookAgain)
      }
      throw new ServiceError('deadline', { detail: 'expected a login in the browser, got none in time', hint: `svcctl mcp login ${name}` })
    })
    this.say(`The unit is logged in at ${name}. Try: svcctl mcp probe ${name}`)
    return progress
  }
}
