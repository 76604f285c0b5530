// Keeps what was done about a card. Twice is as good as once, and what came meanwhile is still to be shown.
import type { Change, gatewayChannels, Params } from '@gatehouse/contracts'
import { readChange, type ReadDeps } from '../changes/read.ts'
import { versionOf } from './card.ts'
import { dueReminder, nextReminderAt } from './reminders.ts'
import { findCard, type CardRow } from './rows.ts'

type Told = Params<typeof gatewayChannels, 'carded'>

/** After these a change stays what it is. */
const ends: ReadonlySet<Change['state']> = new Set(['applied', 'rejected', 'withdrawn', 'expired', 'refused'])

/** Its end was shown, or it could not be shown at all. */
const isOver = (change: Change, { act, version, failed }: Told): boolean =>
  (failed && act === 'post') || (ends.has(change.state) && version === versionOf(change))

/** A reminder says nothing new of the change; what is shown late needs none of those before. */
const next = (row: CardRow, change: Change, { act, revision, version, reference, reminder = 0 }: Told) => {
  const reminded = Math.max(row.reminded, reminder)
  return {
    seen: Math.max(row.seen, act === 'remind' ? 0 : revision),
    shown: act === 'remind' ? row.shown : version,
    reference: reference === undefined ? row.reference : JSON.stringify(reference),
    reminded,
    remind_at: nextReminderAt(change, reminded),
  }
}

export interface CardedDeps extends ReadDeps {
  readonly clock: () => number
}

export const carded = async (deps: CardedDeps, told: Told): Promise<void> => {
  const row = await findCard(deps.store.read, told.id)
  if (row === undefined) return
  const change = await readChange(deps, row.change_id)
  await deps.store.write(async (tx) => {
    if (isOver(change, told)) {
      await tx.run('DELETE FROM cards WHERE id = ?', [row.id])
      return
    }
    const { seen, shown, reference, reminded, remind_at } = next(row, change, {
      ...told,
      ...(told.act === 'post' && { reminder: dueReminder(change, deps.clock()) }),
    })
    await tx.run('UPDATE cards SET seen = ?, shown = ?, reference = ?, reminded = ?, remind_at = ? WHERE id = ?', [
      seen,
      shown,
      reference,
      reminded,
      remind_at,
      row.id,
    ])
  })
}
