// svcctl mcp serve
import { randomBytes } from 'node:crypto'
import { AgentGroupID, clientRole } from '@gatehouse/contracts'
import { wallMs } from '@gatehouse/kernel'
import { Flags } from '@oclif/core'
import * as v from 'valibot'
import { runBridge } from '../../clients/bridge.ts'
import { done, Done, type Environment } from '../../command.ts'
import { createFetch } from '../../connection/node-fetch.ts'
import { checkAddress, readToken } from '../../connection/unit.ts'
import { UnitCommand } from '../../unit-command.ts'

const passedOn = ['content-type', 'mcp-session-id', 'retry-after', 'www-authenticate']
const withoutBody: ReadonlySet<number> = new Set([204, 205, 304])

/** The program's own `fetch` in the shape of the standard one, which the transport of MCP expects. */
const standardFetch = (environment: Environment): typeof globalThis.fetch => {
  const send = createFetch(environment)
  return async (address, init = {}) => {
    const answer = await send(address instanceof Request ? address.url : address.toString(), {
      method: init.method ?? 'GET',
      redirect: 'error',
      headers: Object.fromEntries(new Headers(init.headers)),
      ...(typeof init.body === 'string' && { body: init.body }),
      ...(init.signal instanceof AbortSignal && { signal: init.signal }),
    })
    const headers = passedOn.flatMap((name): [string, string][] => {
      const value = answer.headers.get(name)
      return value === null ? [] : [[name, value]]
    })
    return new Response(withoutBody.has(answer.status) ? null : (answer.body as ReadableStream<Uint8Array<ArrayBuffer>>), {
      status: answer.status,
      headers,
    })
  }
}

const lasts = 24 * 60 * 60_000

export class McpServe extends UnitCommand<Done> {
  static override summary = 'Serve the tools of an agent group over stdio, for MCP clients that know nothing else.'
  static override description =
    'Passes messages between standard input and output and the MCP endpoint of the unit. Without --group the token has to be that of a client, as svcctl connect makes it. With --group an admin token makes one that lasts until the client leaves, at most a day.'
  static override result = Done
  static override examples = ['svcctl mcp serve --token-file client.token', 'svcctl mcp serve --group desk']

  static override flags = {
    group: Flags.string({ summary: 'Agent group whose agent is external.', helpValue: 'ID' }),
  }

  async run(): Promise<Done> {
    const { flags } = await this.parse(McpServe)
    if (flags.group === undefined) {
      const token = await readToken(this.environment, flags['token-file'])
      await this.bridge(flags, token ?? '')
      return done
    }
    const client = await this.connect(flags)
    const { name, token } = await client.tokens.create({
      name: `${flags.group.slice(0, 40)}.stdio-${randomBytes(4).toString('hex')}`,
      role: clientRole,
      groups: [v.parse(AgentGroupID, flags.group)],
      expiresAt: new Date(wallMs() + lasts).toISOString(),
    })
    try {
      await this.bridge(flags, token)
    } finally {
      await client.tokens.revoke(name)
    }
    return done
  }

  /** Nothing but messages may be written to stdout. */
  private async bridge(flags: { readonly addr: string; readonly 'insecure-http': boolean }, token: string): Promise<void> {
    const address = checkAddress(flags.addr, { token: token !== '', insecure: flags['insecure-http'] })
    await runBridge({
      url: new URL('/mcp', address),
      token,
      fetch: standardFetch(this.environment),
      say: (text) => this.say(text),
    })
  }
}
