// From where a reader of events goes on: the id of the last one that it was told, or a number in the query.
import { ServiceError } from '@gatehouse/contracts'
import type { Context } from 'hono'
import type { Env } from '../env.ts'

export const lastEventHeader = {
  name: 'Last-Event-ID',
  description: 'The id of the last event that was read',
  pattern: '^\\d{1,15}$',
} as const

/** The header is what a reader sends that comes again, so it counts before `after`. Undefined: from now on. */
export const readAfter = (c: Context<Env>, after: number | undefined): number | undefined => {
  const last = c.req.header(lastEventHeader.name)
  if (last === undefined || last === '') return after
  if (/^\d{1,15}$/.test(last)) return Number(last)
  throw new ServiceError('malformed', { detail: 'expected the id of an event in Last-Event-ID, got something else' })
}
