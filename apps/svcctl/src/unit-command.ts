// The base of every command that asks a unit: its address, its token, and the ids that people type.
import { setTimeout as pause } from 'node:timers/promises'
import { type Client, createClient, type Fetch } from '@gatehouse/client'
import { keptHeader, ServiceError } from '@gatehouse/contracts'
import { Flags } from '@oclif/core'
import { SvcctlCommand } from './command.ts'
import { createFetch } from './connection/node-fetch.ts'
import { checkAddress, readToken } from './connection/unit.ts'
import type { IdKind } from './ids/resolve.ts'
import { untilInterrupted } from './input/ask.ts'
import { type Column, table } from './output/table.ts'

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
    const { readRow } = await import('./ids/resolve.ts')
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
    const { rememberList } = await import('./ids/resolve.ts')
    await rememberList(this.environment, { kind, address: this.#address, ids })
  }
}

const watchInterval = 2_000

interface List<R> {
  readonly watch: boolean
  readonly read: () => Promise<R[]>
  /** Of these rows. */
  readonly columns: (rows: readonly R[]) => readonly Column<R>[]
  /** Said where there is no row. */
  readonly empty: string
  /** Which ids the rows have. */
  readonly ids?: readonly [kind: IdKind, id: (row: R) => string]
  /** Said below the rows, to people. */
  readonly next?: (rows: readonly R[]) => string | undefined
}

export abstract class ListCommand<R> extends UnitCommand<R[]> {
  static override baseFlags = {
    ...UnitCommand.baseFlags,
    watch: Flags.boolean({ char: 'w', summary: `Show the list again every ${watchInterval / 1000} seconds, until Ctrl-C.` }),
  }

  protected async list(list: List<R>): Promise<R[]> {
    if (list.watch) return await this.#watch(list)
    const rows = await list.read()
    await this.#show(list, rows)
    return rows
  }

  async #show({ columns, empty, ids, next }: List<R>, rows: readonly R[]): Promise<void> {
    this.print(table(columns(rows), rows, process.stdout))
    if (rows.length === 0) this.remark(empty)
    const hint = rows.length === 0 ? undefined : next?.(rows)
    if (hint !== undefined) this.remark(`\n${hint}`)
    if (ids !== undefined) await this.remember(ids[0], rows.map(ids[1]))
  }

  async #watch(list: List<R>): Promise<R[]> {
    if (!this.toPeople || this.jsonEnabled())
      throw new ServiceError('invalid', {
        detail: '--watch needs a terminal',
        hint: 'svcctl change watch --json gives a program each change as it happens',
      })
    let rows: R[] = []
    await untilInterrupted(async (signal) => {
      for (;;) {
        rows = await list.read()
        process.stdout.write('\u001b[H\u001b[2J')
        await this.#show(list, rows)
        await pause(watchInterval, undefined, { signal }).catch(() => undefined)
        if (signal.aborted) return
      }
    })
    return rows
  }
}
