// The base of every command that asks a unit: its address, its token, and the ids that people type.
import { type Client, createClient, type Fetch } from '@gatehouse/client'
import { keptHeader } from '@gatehouse/contracts'
import { Flags } from '@oclif/core'
import { SvcctlCommand } from './command.ts'
import { createFetch } from './connection/node-fetch.ts'
import { checkAddress, readToken } from './connection/unit.ts'
import type { IdKind } from './ids/last-list.ts'

/** Said when an act is in force and on no disk yet, for any command. */
const notDurable = 'In force, but not saved: it is lost when the gateway ends. Fix the disk before you restart anything.'

const withDurability =
  (fetch: Fetch, tell: (text: string) => void): Fetch =>
  async (url, init) => {
    const answer = await fetch(url, init)
    if (answer.headers.get(keptHeader) === 'false') tell(notDurable)
    return answer
  }

export interface UnitFlags {
  readonly addr: string
  readonly 'token-file'?: string | undefined
  readonly 'insecure-http': boolean
}

export abstract class UnitCommand<T> extends SvcctlCommand<T> {
  static override baseFlags = {
    ...SvcctlCommand.baseFlags,
    addr: Flags.string({
      summary: 'Address of the unit.',
      helpGroup: 'GLOBAL',
      helpValue: 'URL',
      env: 'SERVICE_API_URL',
      default: 'http://127.0.0.1:8787',
    }),
    'token-file': Flags.string({
      summary: 'File with the bearer token. Default: SERVICE_API_TOKEN, or the file that SERVICE_API_TOKEN_FILE names.',
      helpGroup: 'GLOBAL',
      helpValue: 'PATH',
    }),
    'insecure-http': Flags.boolean({ summary: 'Send the token over plain http to a host that is not loopback.', helpGroup: 'GLOBAL' }),
  }

  #address = ''
  #client: Client | undefined

  protected async connect(flags: UnitFlags): Promise<Client> {
    const token = await readToken(this.environment, flags['token-file'])
    const address = checkAddress(flags.addr, { token: token !== undefined, insecure: flags['insecure-http'] })
    this.#address = address
    this.#client = createClient({ address, token, fetch: withDurability(createFetch(this.environment), (text) => this.say(text)) })
    return this.#client
  }

  /** The id that someone typed as `@1`, as a beginning or in full. Only after `connect`. */
  protected async resolveID(kind: IdKind, text: string): Promise<string> {
    const { readRow } = await import('./ids/last-list.ts')
    const id = await readRow(this.environment, { kind, address: this.#address, text })
    if (this.#client === undefined || (kind !== 'change' && kind !== 'session')) return id
    const { resolveChange, resolveSession } = await import('./ids/resolve.ts')
    return await (kind === 'change' ? resolveChange : resolveSession)(this.#client, id)
  }

  /** The same for a flag that may be absent. */
  protected async optionalID(kind: IdKind, text: string | undefined): Promise<string | undefined> {
    return text === undefined ? undefined : await this.resolveID(kind, text)
  }

  /** Keeps the ids of a list for `@1`, where a person sees it. */
  protected async remember(kind: IdKind, ids: readonly string[]): Promise<void> {
    if (!this.toPeople || this.jsonEnabled()) return
    const { rememberList } = await import('./ids/last-list.ts')
    await rememberList(this.environment, { kind, address: this.#address, ids })
  }
}
