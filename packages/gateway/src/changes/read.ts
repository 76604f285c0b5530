// One change, as the database holds it.
import { Change, ServiceError } from '@gatehouse/contracts'
import type { Rows } from '@gatehouse/store'
import * as v from 'valibot'

export interface ChangeRow {
  readonly record: string
}

export const toChange = (row: ChangeRow): Change => v.parse(Change, JSON.parse(row.record))

export const findChange = async (rows: Rows, id: string): Promise<Change | undefined> => {
  const row = await rows.get<ChangeRow>('SELECT record FROM changes WHERE id = ?', [id])
  return row === undefined ? undefined : toChange(row)
}

export const unknownChange = (id: string): ServiceError =>
  new ServiceError('not-found', { detail: `there is no change ${id}`, hint: 'list the changes that wait: svcctl change pending' })

export const readChange = async (rows: Rows, id: string): Promise<Change> => {
  const change = await findChange(rows, id)
  if (change === undefined) throw unknownChange(id)
  return change
}
