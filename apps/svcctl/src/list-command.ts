// The base of every command that prints a list: the table, `--watch`, and the ids that `@1` names afterwards.
import { setTimeout as pause } from 'node:timers/promises'
import { ServiceError } from '@gatehouse/contracts'
import { Flags } from '@oclif/core'
import type { IdKind } from './ids/last-list.ts'
import { untilInterrupted } from './input/interrupt.ts'
import { type Column, table } from './output/table.ts'
import { UnitCommand } from './unit-command.ts'

const watchInterval = 2_000

export interface List<R> {
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
