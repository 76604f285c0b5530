// Server side of one connection: validates parameters, runs handlers, sends results, and cancels running calls.
import { type Edge, ServiceError, toServiceError } from '@gatehouse/contracts'
import { type Logger, runInContext } from '@gatehouse/kernel'
import * as v from 'valibot'
import type { CallContext } from './contract.ts'
import { cancelMethod, fieldIssues, type Meta, readMeta } from './messages.ts'
import type { Functions } from './peer.ts'

/** Nearly no handler looks at the signal, so it is made when one does. */
export class RunningCall implements CallContext {
  readonly requestId: string
  readonly traceparent: string | undefined
  readonly #end: number
  #controller: AbortController | undefined
  #timer: NodeJS.Timeout | undefined
  #reason: ServiceError | undefined
  #reject: ((reason: ServiceError) => void) | undefined

  constructor(meta: Meta) {
    this.requestId = meta.requestId
    this.traceparent = meta.traceparent
    this.#end = performance.now() + meta.deadline
  }

  get signal(): AbortSignal {
    if (this.#controller !== undefined) return this.#controller.signal
    this.#controller = new AbortController()
    if (this.#reason === undefined) {
      this.#timer = setTimeout(() => this.abort(new ServiceError('deadline')), Math.max(1, this.#end - performance.now()))
    } else this.#controller.abort(this.#reason)
    return this.#controller.signal
  }

  abort(reason: ServiceError): void {
    if (this.#reason !== undefined) return
    this.#reason = reason
    this.#controller?.abort(reason)
    this.#reject?.(reason)
  }

  /** The act's result, or the reason of an abort if that comes first: nobody waits for a handler that does not listen. */
  settle(act: () => unknown): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#reject = reject
      // Resolving with the promise itself would bind the call to it, and no abort could end it.
      Promise.resolve(act()).then(resolve, reject)
    })
  }

  /** The call has its answer. */
  done(): void {
    clearTimeout(this.#timer)
  }
}

/** One call of the edge with its handler. */
export interface Callable {
  readonly name: string
  readonly params: v.GenericSchema
  readonly handler: (params: unknown, context: CallContext) => unknown
}

export interface AnswerOptions {
  readonly edge: Edge
  readonly callables: ReadonlyMap<string, Callable>
  readonly log: Logger
  /** Calls of every connection that run now. */
  readonly running: Set<RunningCall>
  /** True while the server lets running calls end. */
  readonly closing: () => boolean
}

const checkParams = ({ name, params: schema }: Callable, params: unknown): unknown => {
  const parsed = v.safeParse(schema, params)
  if (parsed.success) return parsed.output
  throw new ServiceError('invalid', { detail: `expected the parameters of ${name}, got others`, errors: fieldIssues(parsed.issues) })
}

/** The calls of one connection. */
export class Answers implements Functions {
  readonly #options: AnswerOptions
  readonly #mine = new Map<number, RunningCall>()

  constructor(options: AnswerOptions) {
    this.#options = options
  }

  run(name: string, args: readonly unknown[]): Promise<unknown> | undefined {
    const callable = this.#options.callables.get(name)
    if (callable !== undefined) return this.#answer(callable, args)
    if (name === cancelMethod) return this.#cancel(args[0])
    this.#options.log.warn('call refused: it is none of this edge', { method: name })
    throw new ServiceError('forbidden', { detail: `expected a call of ${this.#options.edge.name}, got another` })
  }

  /** The connection ended: nobody waits for what runs. */
  end(): void {
    for (const call of this.#mine.values()) call.abort(new ServiceError('unavailable', { detail: 'the connection of the caller ended' }))
  }

  #cancel(call: unknown): undefined {
    if (typeof call === 'number') this.#mine.get(call)?.abort(new ServiceError('deadline', { detail: 'the caller gave up' }))
  }

  #answer(callable: Callable, [params, ...rest]: readonly unknown[]): Promise<unknown> {
    const meta = readMeta(rest)
    if (meta === undefined || this.#mine.has(meta.call)) {
      throw new ServiceError('malformed', { detail: 'expected a call with a number of its own, its deadline and its request id' })
    }
    if (this.#options.closing()) throw new ServiceError('unavailable', { detail: `${this.#options.edge.server} is stopping` })
    return runInContext(meta, () => this.#run(callable, params, meta))
  }

  async #run(callable: Callable, params: unknown, meta: Meta): Promise<unknown> {
    const { running } = this.#options
    const call = new RunningCall(meta)
    this.#mine.set(meta.call, call)
    running.add(call)
    try {
      return await call.settle(() => callable.handler(checkParams(callable, params), call))
    } catch (error) {
      throw this.#known(callable, error)
    } finally {
      call.done()
      this.#mine.delete(meta.call)
      running.delete(call)
    }
  }

  /** What the caller may not see stays in the log. */
  #known({ name }: Callable, thrown: unknown): ServiceError {
    const error = toServiceError(thrown)
    if (error.code === 'internal') this.#options.log.error('call failed', { method: name, error: error.cause ?? error })
    else if (error.cause !== undefined) this.#options.log.warn('call failed', { method: name, error })
    return error
  }
}
