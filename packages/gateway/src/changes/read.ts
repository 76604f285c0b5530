// One change, as it is: what the database holds, and what it could not be told yet.
import { Change, ServiceError } from '@gatehouse/contracts'
import type { Rows, Store } from '@gatehouse/store'
import * as v from 'valibot'
import type { Overlay } from './overlay.ts'

export interface ReadDeps {
  readonly store: Store
  readonly overlay: Overlay
}

export interface ChangeRow {
  readonly record: string
}

export const toChange = (row: ChangeRow): Change => v.parse(Change, JSON.parse(row.record))

/** As the database has it. */
export const findChange = async (rows: Rows, id: string): Promise<Change | undefined> => {
  const row = await rows.get<ChangeRow>('SELECT record FROM changes WHERE id = ?', [id])
  return row === undefined ? undefined : toChange(row)
}

export const unknownChange = (id: string): ServiceError =>
  new ServiceError('not-found', { detail: `there is no change ${id}`, hint: 'list the changes that wait: svcctl change pending' })

export const readChange = async ({ store, overlay }: ReadDeps, id: string): Promise<Change> => {
  const change = await findChange(store.read, id)
  if (change === undefined) throw unknownChange(id)
  return overlay.over(change)
}
