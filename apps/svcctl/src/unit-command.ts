// A command that asks a unit: where it is, and with which token.
import { type Client, createClient } from '@gatehouse/client'
import { Flags } from '@oclif/core'
import { SvcctlCommand } from './command.ts'
import { checkAddress } from './connection/address.ts'
import { heedKept } from './connection/heed-kept.ts'
import { createFetch } from './connection/node-fetch.ts'
import { readToken } from './connection/token.ts'

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
    return createClient({ address, token, fetch: heedKept(createFetch(this.environment), (text) => this.say(text)) })
  }
}
