// What travels beside the parameters of each call: a short list, since every call carries it.

export interface Meta {
  /** Counts the calls of one connection: what a cancellation names. */
  readonly call: number
  /** Milliseconds that the caller waits. */
  readonly deadline: number
  readonly requestId: string
  readonly traceparent?: string | undefined
}

/** Longest id of a request and longest `traceparent`. */
const most = 128
const latest = 2 ** 31 - 1

export const writeMeta = ({ call, deadline, requestId, traceparent }: Meta): unknown[] =>
  traceparent === undefined ? [call, deadline, requestId] : [call, deadline, requestId, traceparent]

const isText = (value: unknown): value is string => typeof value === 'string' && value.length <= most

/** Undefined when it is not what `writeMeta` writes. */
export const readMeta = ([call, deadline, requestId, traceparent, ...more]: readonly unknown[]): Meta | undefined => {
  if (typeof call !== 'number' || !isText(requestId) || more.length > 0) return undefined
  if (typeof deadline !== 'number' || !(deadline >= 0 && deadline <= latest)) return undefined
  return traceparent === undefined || isText(traceparent) ? { call, deadline, requestId, traceparent } : undefined
}

/** A notification of the caller: it no longer waits for this call. No contract can hold the name. */
export const cancelMethod = '$cancel'
