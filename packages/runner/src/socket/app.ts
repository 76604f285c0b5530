// The routes of `session.sock`, each one line into an act.
import { randomUUID } from 'node:crypto'
import { ChangeID, ChangeRequest, ChangeWithdrawal, MessageID, OutboxMessage, ServiceError } from '@gatehouse/contracts'
import { Hono } from 'hono'
import * as v from 'valibot'
import { say } from '../sessions/say.ts'
import { sayWithFiles } from '../sessions/say-with-files.ts'
import { settle } from '../sessions/run.ts'
import { acknowledge } from './acknowledge.ts'
import { check, readBody } from './body.ts'
import type { Caller } from './caller.ts'
import { readChange, requestChange, withdrawChange } from './changes.ts'
import { inbox } from './inbox.ts'
import { problemOf, problemResponse } from './problem.ts'

const Seconds = v.pipe(v.string(), v.regex(/^\d{1,6}$/, 'expected a whole number of seconds'), v.transform(Number))

const methods = {
  '/session': 'GET',
  '/inbox': 'GET',
  '/inbox/:id/ack': 'POST',
  '/outbox': 'POST',
  '/changes': 'POST',
  '/changes/:id': 'GET',
  '/changes/:id/withdraw': 'POST',
} as const

/** Each request is a sign of life, and keeps the sandbox until it is answered; the long poll apart, which only waits. */
const guard = ({ run }: Caller, app: Hono): void => {
  app.use(async (c, next) => {
    run.touch()
    if (c.req.path === '/inbox') return next()
    run.busy += 1
    try {
      await next()
    } finally {
      run.busy -= 1
      settle(run)
    }
  })
}

const refuse = ({ context, session }: Caller, app: Hono): void => {
  for (const [path, method] of Object.entries(methods)) {
    app.all(path, (c) => {
      const error = new ServiceError('method-not-allowed', { detail: `Expected ${method} on ${path}, got ${c.req.method}.` })
      return problemResponse(problemOf(error, randomUUID()), { allow: method })
    })
  }
  app.notFound(() => {
    throw new ServiceError('not-found', { detail: 'session.sock has no such path.' })
  })
  app.onError((error) => {
    const problem = problemOf(error, randomUUID())
    const { code, requestId } = problem
    if (code === 'internal') context.log.error('request of a sandbox failed', { session: session.id, requestId, error })
    return problemResponse(problem)
  })
}

export const createApp = (caller: Caller): Hono => {
  const app = new Hono()
  guard(caller, app)
  app.get('/session', (c) => c.json(caller.info))
  app.get('/inbox', async (c) =>
    c.json({ messages: await inbox(caller, { wait: check(Seconds, c.req.query('wait') ?? '0'), gone: c.req.raw.signal }) }),
  )
  app.post('/inbox/:id/ack', async (c) => {
    await acknowledge(caller, check(MessageID, c.req.param('id')))
    return c.body(null, 204)
  })
  app.post('/outbox', async (c) => {
    const { files: paths = [], ...message } = await readBody(c.req.raw, OutboxMessage)
    caller.session.words.take()
    const word = { ...message, from: 'agent' } as const
    if (paths.length === 0) await say(caller.context, caller.session, word)
    else await sayWithFiles(caller.context, caller.session, { ...word, paths })
    return c.json({ id: message.id }, 202)
  })
  app.post('/changes', async (c) => c.json(await requestChange(caller, await readBody(c.req.raw, ChangeRequest)), 202))
  app.get('/changes/:id', async (c) => c.json(await readChange(caller, check(ChangeID, c.req.param('id')))))
  app.post('/changes/:id/withdraw', async (c) => {
    const id = check(ChangeID, c.req.param('id'))
    return c.json(await withdrawChange(caller, id, await readBody(c.req.raw, ChangeWithdrawal)))
  })
  refuse(caller, app)
  return app
}
