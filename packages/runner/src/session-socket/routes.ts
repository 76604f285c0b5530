// The routes of `session.sock`, served in a directory that only the host can write while one sandbox runs.
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import {
  ChangeID,
  ChangeRequest,
  ChangeWithdrawal,
  jsonBounds,
  MessageID,
  OutboxMessage,
  ServiceError,
  toPointer,
  toServiceError,
} from '@gatehouse/contracts'
import {
  Abandoned,
  createServe,
  emptyReply,
  jsonReply,
  openSessionSocket,
  parseScannedJson,
  problemReply,
  readBody,
  type Reply,
  type Route,
  RunningExchanges,
  UnexpectedFiles,
} from '@gatehouse/kernel'
import * as v from 'valibot'
import { LaunchRefused } from '../errors.ts'
import { settle } from '../session/run.ts'
import { postMessage, postMessageWithFiles } from '../sessions/post-message.ts'
import type { Caller, SessionSocket } from '../state/context.ts'
import { acknowledge, inbox, readChange, requestChange, withdrawChange } from './handlers.ts'

const bounds = jsonBounds.sessionRequest

const isJson = (type: string | undefined): boolean => type !== undefined && /^application\/json\s*(?:;|$)/i.test(type)

const parseJson = (bytes: Uint8Array): unknown => {
  try {
    return parseScannedJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes), bounds)
  } catch (error) {
    throw new ServiceError('malformed', { detail: 'Expected a body in JSON, got something else.', cause: error })
  }
}

/** `invalid`, with a pointer to each member that does not fit. */
const check = <T>(schema: v.GenericSchema<unknown, T>, value: unknown): T => {
  const result = v.safeParse(schema, value)
  if (result.success) return result.output
  const errors = result.issues.map((issue) => ({ pointer: toPointer((issue.path ?? []).map(({ key }) => key)), detail: issue.message }))
  throw new ServiceError('invalid', { detail: errors.map(({ pointer, detail }) => `${pointer || '/'}: ${detail}`).join('; '), errors })
}

/** A JSON body that nobody vouches for: bounded while it arrives, parsed once and checked against its schema. */
const read = async <T>(request: IncomingMessage, schema: v.GenericSchema<unknown, T>): Promise<T> => {
  if (!isJson(request.headers['content-type'])) throw new ServiceError('unsupported-media-type')
  return check(schema, parseJson(await readBody(request, bounds)))
}

const Seconds = v.pipe(v.string(), v.regex(/^\d{1,6}$/, 'expected a whole number of seconds'), v.transform(Number))

const json = (value: object, status?: number): Reply => jsonReply(JSON.stringify(value), status)

const takeMessage = async ({ context, session }: Caller, request: IncomingMessage): Promise<Reply> => {
  const { files: paths = [], ...message } = await read(request, OutboxMessage)
  session.words.take()
  const word = { ...message, from: 'agent' } as const
  if (paths.length === 0) await postMessage(context, session, word)
  else await postMessageWithFiles(context, session, { ...word, paths })
  return json({ id: message.id }, 202)
}

const routes: Readonly<Record<string, Route<Caller>>> = {
  '/session': { method: 'GET', run: async ({ info }) => json(info) },
  '/inbox': {
    method: 'GET',
    run: async (caller, { request, signal }) => {
      const wait = new URLSearchParams(request.url?.split('?')[1]).get('wait')
      return json({ messages: await inbox(caller, { wait: check(Seconds, wait ?? '0'), gone: signal }) })
    },
  },
  '/inbox/:id/ack': {
    method: 'POST',
    run: async (caller, _, { id }) => {
      await acknowledge(caller, check(MessageID, id))
      return emptyReply
    },
  },
  '/outbox': { method: 'POST', run: (caller, { request }) => takeMessage(caller, request) },
  '/changes': {
    method: 'POST',
    run: async (caller, { request }) => json(await requestChange(caller, await read(request, ChangeRequest)), 202),
  },
  '/changes/:id': { method: 'GET', run: async (caller, _, { id }) => json(await readChange(caller, check(ChangeID, id))) },
  '/changes/:id/withdraw': {
    method: 'POST',
    run: async (caller, { request }, { id }) =>
      json(await withdrawChange(caller, check(ChangeID, id), await read(request, ChangeWithdrawal))),
  },
}

/** Each request is a sign of life, and keeps the sandbox until it is answered; the long poll apart, which only waits. */
const guard = ({ run }: Caller, { url }: IncomingMessage): (() => void) => {
  run.touch()
  if (url?.split('?', 1)[0] === '/inbox') return () => undefined
  run.busy += 1
  return () => {
    run.busy -= 1
    settle(run)
  }
}

const fault = (thrown: unknown, { context, session }: Caller): Reply | undefined => {
  if (thrown instanceof Abandoned) return undefined
  const error = toServiceError(thrown)
  const requestId = randomUUID()
  if (error.code === 'internal') context.log.error('request of a sandbox failed', { session: session.id, requestId, error: thrown })
  // The end of a body that did not arrive in time is unknown.
  return problemReply(error, { requestId, ...(error.code === 'deadline' && { headers: { connection: 'close' } }) })
}

/** `gid`: the group that the sandbox really runs as; without it the sandbox runs as the unit itself. */
export const openSocket = async (caller: Caller, gid: number | undefined): Promise<SessionSocket> => {
  const { context, session, run } = caller
  const serve = createServe<Caller>({
    routes,
    guard,
    fault,
    refuse: ({ request, known }) =>
      known === undefined
        ? new ServiceError('not-found', { detail: 'session.sock has no such path.' })
        : new ServiceError('method-not-allowed', { detail: `Expected ${known.method} on ${known.path}, got ${request.method}.` }),
    running: new RunningExchanges(),
    callTime: Infinity,
    stopping: run.signal,
  })
  const socket = await openSessionSocket({
    surface: 'session',
    runDir: context.runDir,
    session: session.id,
    gid,
    serve: (request, response) => serve(caller, request, response),
  }).catch((error: unknown) => {
    if (!(error instanceof UnexpectedFiles)) throw error
    throw new LaunchRefused(`expected nothing in ${error.directory} but the host's own socket, got ${error.count} more`)
  })
  return { close: () => socket.close('kept') }
}
