// Routes of `session.sock`, with bounded bodies and problem documents.
import { randomUUID } from 'node:crypto'
import {
  ChangeID,
  ChangeRequest,
  ChangeWithdrawal,
  codes,
  jsonBounds,
  MessageID,
  OutboxMessage,
  type Problem,
  ServiceError,
  toServiceError,
} from '@gatehouse/contracts'
import { JsonScanner, parseScannedJson, refuseJsonBody } from '@gatehouse/kernel'
import { Hono } from 'hono'
import * as v from 'valibot'
import { settle } from '../session/run.ts'
import { postMessage, postMessageWithFiles } from '../sessions/post-message.ts'
import type { Caller } from '../state/context.ts'
import { acknowledge, inbox, readChange, requestChange, withdrawChange } from './handlers.ts'

/** Reads a JSON body that nobody vouches for: its size and structure are bounded while it arrives, it is parsed once and checked
 * against its schema. */
const bounds = jsonBounds.sessionRequest

const readBytes = async (request: Request): Promise<Buffer> => {
  if (Number(request.headers.get('content-length') ?? 0) > bounds.bytes) throw refuseJsonBody('bytes', bounds)
  const chunks: Uint8Array[] = []
  const scanner = new JsonScanner(bounds)
  const stream: AsyncIterable<Uint8Array> | null = request.body
  for await (const chunk of stream ?? []) {
    const fault = scanner.push(chunk)
    if (fault !== undefined) throw refuseJsonBody(fault, bounds)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

const isJson = (type: string | null): boolean => type !== null && /^application\/json\s*(?:;|$)/i.test(type)

const parseJson = (bytes: Uint8Array): unknown => {
  try {
    return parseScannedJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes), bounds)
  } catch (error) {
    throw new ServiceError('malformed', { detail: 'Expected a body in JSON, got something else.', cause: error })
  }
}

const toPointer = (issue: v.BaseIssue<unknown>): string =>
  (issue.path ?? []).map(({ key }) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

/** `invalid`, with a pointer to each member that does not fit. */
const check = <T>(schema: v.GenericSchema<unknown, T>, value: unknown): T => {
  const result = v.safeParse(schema, value)
  if (result.success) return result.output
  const errors = result.issues.map((issue) => ({ pointer: toPointer(issue), detail: issue.message }))
  throw new ServiceError('invalid', { detail: errors.map(({ pointer, detail }) => `${pointer || '/'}: ${detail}`).join('; '), errors })
}

const readBody = async <T>(request: Request, schema: v.GenericSchema<unknown, T>): Promise<T> => {
  if (!isJson(request.headers.get('content-type'))) throw new ServiceError('unsupported-media-type')
  return check(schema, parseJson(await readBytes(request)))
}

/** Turns an error into what a sandbox sees: an RFC 9457 document with a code of the table, never a stack or a host's path. */
const problemOf = (error: unknown, requestId: string): Problem => {
  const { code, detail, hint, errors, extra } = toServiceError(error)
  const { status, title } = codes[code]
  return {
    ...extra,
    type: `urn:gatehouse:error:${code}`,
    title,
    status,
    detail,
    code,
    requestId,
    ...(hint === undefined ? {} : { hint }),
    ...(errors === undefined ? {} : { errors: [...errors] }),
  }
}

const problemResponse = (problem: Problem, headers: Readonly<Record<string, string>> = {}): Response =>
  new Response(JSON.stringify(problem), { status: problem.status, headers: { ...headers, 'content-type': 'application/problem+json' } })

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
    if (paths.length === 0) await postMessage(caller.context, caller.session, word)
    else await postMessageWithFiles(caller.context, caller.session, { ...word, paths })
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
