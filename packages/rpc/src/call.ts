// Caller side of one call: waits for a connection, sends, enforces the deadline, and validates the result.
import { randomBytes } from 'node:crypto'
import { type CallSpec, type Edge, limits, ServiceError, toServiceError } from '@gatehouse/contracts'
import { type Logger, workContext } from '@gatehouse/kernel'
import * as v from 'valibot'
import type { CallOptions } from './contract.ts'
import type { Link } from './link.ts'
import { cancelMethod, fieldIssues, fromWireError, type Meta, writeMeta } from './messages.ts'
import type { Meter } from './meter.ts'
import type { Peer } from './peer.ts'

/** The deadlines of all calls that wait, under one timer: nearly every call is answered long before its own, so none has a timer. */
export interface Waiting {
  /** On the clock of `performance`. */
  readonly end: number
  giveUp(): void
}

const waiting = new Set<Waiting>()
let timer: NodeJS.Timeout | undefined
/** When the timer goes off. */
let next = Infinity

/** In the order of their ends, however late the timer is. */
const look = (): void => {
  const now = performance.now()
  const over = [...waiting].filter(({ end }) => end <= now).toSorted((a, b) => a.end - b.end)
  for (const one of over) waiting.delete(one)
  next = Infinity
  for (const { end } of waiting) next = Math.min(next, end)
  if (next !== Infinity) arm(next - now)
  for (const one of over) one.giveUp()
}

/** The socket of a call keeps the process alive, so the timer need not. */
const arm = (milliseconds: number): void => {
  clearTimeout(timer)
  timer = setTimeout(look, Math.max(1, Math.ceil(milliseconds)))
  timer.unref()
}

export const watchDeadline = (one: Waiting): void => {
  waiting.add(one)
  if (one.end >= next) return
  next = one.end
  arm(one.end - performance.now())
}

export const settleDeadline = (one: Waiting): void => void waiting.delete(one)

export interface CallerOptions {
  readonly edge: Edge
  /** The connection that carries this call. */
  readonly link: (spec: CallSpec) => Link
  readonly log: Logger
  readonly meter: Meter
}

export type AnyCall = (params: unknown, options?: CallOptions) => Promise<unknown>

interface Outgoing {
  readonly name: string
  readonly params: unknown
  readonly deadline: number
  readonly options: CallOptions
}

/** Names this process in the request ids that it makes. */
const origin = randomBytes(8).toString('hex')
let calls = 0

const metaOf = ({ options, deadline }: Outgoing): Meta => {
  const work = workContext()
  calls += 1
  return {
    call: calls,
    deadline,
    requestId: options.requestId ?? work?.requestId ?? `${origin}-${calls}`,
    traceparent: options.traceparent ?? work?.traceparent,
  }
}

/** Rejects at the deadline or when the caller's signal aborts, and tells the server. */
const send = (peer: Peer, outgoing: Outgoing): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const { name, params, deadline, options } = outgoing
    const meta = metaOf(outgoing)
    const giveUp = (detail: string): void => {
      settle()
      reject(new ServiceError('deadline', { detail }))
      peer.notify(cancelMethod, [meta.call]).catch(() => undefined)
    }
    const onAbort = (): void => giveUp(`the caller gave up on ${name}`)
    const waiting = {
      end: performance.now() + deadline,
      giveUp: () => giveUp(`expected an answer to ${name} within ${deadline} ms, got none`),
    }
    const settle = (): void => {
      settleDeadline(waiting)
      options.signal?.removeEventListener('abort', onAbort)
    }
    if (options.signal?.aborted === true) return onAbort()
    options.signal?.addEventListener('abort', onAbort, { once: true })
    watchDeadline(waiting)
    peer.call(name, [params, ...writeMeta(meta)]).then(
      (result) => {
        settle()
        resolve(result)
      },
      (error: unknown) => {
        settle()
        reject(fromWireError(error))
      },
    )
  })

/** The function that stands for one call of the edge. */
export const createCall = (name: string, spec: CallSpec, { edge, link, log, meter }: CallerOptions): AnyCall => {
  const patience = spec.patient === true ? limits.rpcPatientTime : limits.rpcDownTime
  const sendLater = async (outgoing: Outgoing): Promise<unknown> => {
    const began = performance.now()
    const peer = await link(spec).wait(Math.min(patience, outgoing.deadline), spec.patient === true)
    const waited = Math.floor(performance.now() - began)
    return send(peer, { ...outgoing, deadline: Math.max(0, outgoing.deadline - waited) })
  }
  const check = (result: unknown): unknown => {
    const parsed = v.safeParse(spec.result, result)
    if (parsed.success) return parsed.output
    log.error('answer refused', { method: name, errors: fieldIssues(parsed.issues) })
    throw new ServiceError('internal', { cause: `${edge.server} answered ${name} with something else than its contract says` })
  }
  return async (params, options = {}) => {
    const since = performance.now()
    try {
      const deadline = options.deadline ?? spec.deadline ?? limits.rpcTime
      const { peer } = link(spec)
      const outgoing = { name, params, deadline, options }
      const result = check(await (peer === undefined ? sendLater(outgoing) : send(peer, outgoing)))
      meter.note('ok', since)
      return result
    } catch (error) {
      meter.note(toServiceError(error).code, since)
      throw error
    }
  }
}
