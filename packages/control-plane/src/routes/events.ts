// Route of journal events as server-sent events. Clients use fetch, because EventSource cannot send a token in a header.
import { isServiceError, limits, News, ServiceError } from '@gatehouse/contracts'
import { type Context, Hono } from 'hono'
import * as v from 'valibot'
import type { Env } from '../env.ts'
import { guarded } from '../openapi/operation.ts'
import { documented } from '../openapi/schemas.ts'
import { mayLast } from '../server/connections.ts'
import { NewsStream } from './event-stream.ts'
import { Sequence } from './query.ts'
import { query } from './validate.ts'

/** Where a reader resumes: the id of its last event, or a line number in the query. */
const lastEventHeader = {
  name: 'Last-Event-ID',
  description: 'The id of the last event read',
  pattern: '^\\d{1,15}$',
} as const

/** The header of a reconnecting reader takes precedence over `after`. Undefined for new events only. */
const readAfter = (c: Context<Env>, after: number | undefined): number | undefined => {
  const last = c.req.header(lastEventHeader.name)
  if (last === undefined || last === '') return after
  if (/^\d{1,15}$/.test(last)) return Number(last)
  throw new ServiceError('malformed', { detail: 'Last-Event-ID is not the id of an event' })
}

const headers = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  // Prevents proxies from buffering events.
  'X-Accel-Buffering': 'no',
} as const

const EventsQuery = v.strictObject({ after: v.optional(Sequence) })

const described = guarded({
  summary: 'Stream of audit events; `id` is the line, `event` its stage; after `gap`, read the audit log',
  tag: 'audit',
  answers: { 200: { description: 'The `data` of each event', content: { 'text/event-stream': { schema: documented(News) } } } },
  problems: ['invalid'],
  reads: [lastEventHeader],
})

/** Joins the hub. The stream only closes the connection after `answer` was called, because the response can be a refusal until then. */
const open = async (c: Context<Env>, after: number | undefined) => {
  const { unit, token, call } = c.var
  const { gateway } = unit.peers
  const permit = () => gateway.permit({ token, route: 'events' }, call)
  const outgoing = (c.env as Env['Bindings'] | undefined)?.outgoing
  let answers = false
  const stream = new NewsStream({
    events: unit.events,
    token,
    principal: await permit(),
    after,
    read: (after, limit) => gateway.news({ token, after, limit }, call),
    permit,
    cut: () => void (answers && outgoing?.writableFinished === false && outgoing.destroy()),
  })
  try {
    unit.events.join(stream)
    await stream.begin()
    const answer = (): Response => {
      answers = true
      mayLast(c.env)
      return c.body(stream.outlet.stream, 200, headers)
    }
    return { stream, answer }
  } catch (error) {
    stream.end()
    if (isServiceError(error) && error.code === 'rate-limited') c.header('Retry-After', String(limits.eventPing / 1000))
    throw error
  }
}

export const eventRoutes = new Hono<Env>().get('/v1/events', described, query(EventsQuery), async (c) => {
  const { stream, answer } = await open(c, readAfter(c, c.req.valid('query').after))
  if (c.req.method !== 'HEAD') return answer()
  // A HEAD request would never read the stream and never close it.
  stream.end()
  return c.body(null, 200, headers)
})
