// The server's end of a connection: checks parameters, runs handlers, answers.
import { type Edge, ServiceError, toServiceError } from '@gatehouse/contracts'
import { type Logger, runInContext } from '@gatehouse/kernel'
import * as v from 'valibot'
import type { CallContext } from './contract.ts'
import { fieldIssues } from './issues.ts'
import { cancelMethod, type Meta, readMeta } from './meta.ts'
import type { Functions } from './peer.ts'
import { RunningCall } from './running.ts'

export type AnyHandler = (params: unknown, context: CallContext) => unknown

export interface AnswerOptions {
  readonly edge: Edge
  handler(name: string): AnyHandler
  readonly log: Logger
  /** Calls of every connection that run now. */
  readonly running: Set<RunningCall>
  /** True while the server lets running calls end. */
  closing(): boolean
}

interface Callable {
  readonly name: string
  readonly schema: v.GenericSchema
}

const checkParams = (name: string, schema: v.GenericSchema, params: unknown): unknown => {
  const parsed = v.safeParse(schema, params)
  if (parsed.success) return parsed.output
  throw new ServiceError('invalid', { detail: `expected the parameters of ${name}, got others`, errors: fieldIssues(parsed.issues) })
}

/** What the caller may not see stays here; what it may see was expected. */
const logFailure = (log: Logger, fields: object, error: unknown): void => {
  const known = toServiceError(error)
  if (known.code === 'internal') log.error('call failed', { ...fields, error: known.cause ?? known })
  else if (known.cause !== undefined) log.warn('call failed', { ...fields, error: known })
}

export interface Answers {
  readonly functions: Functions
  /** For every other name: a caller that asks beyond its edge is worth a line. */
  refuse(name: string): never
  /** The connection ended: nobody waits for what runs. */
  end(): void
}

/** The functions of one connection. */
export const answerCalls = (options: AnswerOptions): Answers => {
  const { edge, log, running } = options
  const mine = new Map<number, RunningCall>()

  const run = async ({ name, schema }: Callable, params: unknown, meta: Meta): Promise<unknown> => {
    const call = new RunningCall(meta)
    mine.set(meta.call, call)
    running.add(call)
    try {
      return await call.settle(() => options.handler(name)(checkParams(name, schema, params), call))
    } catch (error) {
      logFailure(log, { method: name }, error)
      throw toServiceError(error)
    } finally {
      mine.delete(meta.call)
      running.delete(call)
    }
  }
  const answer = (callable: Callable) => async (params: unknown, rawMeta: unknown) => {
    const meta = readMeta(rawMeta)
    if (meta === undefined || mine.has(meta.call)) throw new ServiceError('malformed', { detail: 'expected a call with its deadline and request id' })
    if (options.closing()) throw new ServiceError('unavailable', { detail: `${edge.server} is stopping` })
    return runInContext({ requestId: meta.requestId, traceparent: meta.traceparent }, () => run(callable, params, meta))
  }
  const functions: Functions = Object.assign(Object.create(null), {
    [cancelMethod]: (call: unknown) => {
      if (typeof call === 'number') mine.get(call)?.abort(new ServiceError('deadline', { detail: 'the caller gave up' }))
    },
  })
  for (const [name, { params: schema }] of Object.entries(edge.calls)) functions[name] = answer({ name, schema })
  const refuse = (name: string): never => {
    log.warn('call of another edge refused', { method: name })
    throw new ServiceError('forbidden', { detail: `expected a call of ${edge.name}, got another` })
  }
  const end = (): void => {
    for (const call of mine.values()) call.abort(new ServiceError('unavailable', { detail: 'the connection of the caller ended' }))
  }
  return { functions, refuse, end }
}
