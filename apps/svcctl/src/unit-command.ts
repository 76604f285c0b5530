// The base of every command that asks a unit: its address and its token.
import { type Client, createClient, type Fetch } from '@gatehouse/client'
import { keptHeader } from '@gatehouse/contracts'
import { Flags } from '@oclif/core'
import { SvcctlCommand } from './command.ts'
import { createFetch } from './connection/node-fetch.ts'
import { checkAddress, readToken } from './connection/unit.ts'

/** Hears when an act holds and is on no disk yet, whichever command it was. */
const notKept = 'It holds now, but is on no disk yet: it ends with the gateway. Mend the disk before anything is started again.'

const withDurability =
  (fetch: Fetch, tell: (text: string) => void): Fetch =>
  async (url, init) => {
    const answer = await fetch(url, init)
    if (answer.headers.get(keptHeader) === 'false') tell(notKept)
    return answer
  }

export interface UnitFlags {
  readonly addr: string
  readonly 'token-file'?: string | undefined
  readonly 'insecure-http': boolean
}

export abstract class UnitCommand<T> extends SvcctlCommand<T> {
  static override baseFlags = {
    addr: Flags.string({
      summary: 'Address of the unit.',
      helpGroup: 'GLOBAL',
      helpValue: 'URL',
      env: 'SERVICE_API_URL',
      default: 'http://127.0.0.1:8787',
    }),
    'token-file': Flags.string({
      summary: 'File with the bearer token. Without it: SERVICE_API_TOKEN, or the file that SERVICE_API_TOKEN_FILE names.',
      helpGroup: 'GLOBAL',
      helpValue: 'PATH',
    }),
    'insecure-http': Flags.boolean({ summary: 'Send the token over plain http to a host that is not loopback.', helpGroup: 'GLOBAL' }),
  }

  protected async connect(flags: UnitFlags): Promise<Client> {
    const token = await readToken(this.environment, flags['token-file'])
    const address = checkAddress(flags.addr, { token: token !== undefined, insecure: flags['insecure-http'] })
    return createClient({ address, token, fetch: withDurability(createFetch(this.environment), (text) => this.say(text)) })
  }
}
