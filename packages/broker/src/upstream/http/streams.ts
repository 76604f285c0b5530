// When a stream of events that ended is asked for again: never so soon that it is a load, never so late that a timer cannot count it,
// and not at all where it was cut for a limit, since it would be again.
import { limits } from '@gatehouse/contracts'
import type { StreamableHTTPClientTransportOptions, Transport } from '@modelcontextprotocol/client'
import { type AnswerRefused, findRefusal } from '../failure.ts'

type Scheduler = NonNullable<StreamableHTTPClientTransportOptions['reconnectionScheduler']>

/** Milliseconds. A server may name any pause, also none. */
const shortest = 250

export interface Streams {
  readonly scheduler: Scheduler
  /** To be set before the transport is used. */
  watch(transport: Transport): void
}

export const createStreams = (): Streams => {
  let refusal: AnswerRefused | undefined
  return {
    watch: (transport) => {
      const onerror = ({ message }: Error): void => {
        refusal = findRefusal(message)
        // What is asked of the scheduler for this stream is asked at once.
        queueMicrotask(() => (refusal = undefined))
      }
      Object.assign(transport, { onerror })
    },
    scheduler: (reconnect, delay) => {
      // Its text is looked at by whoever waits for the answer.
      if (refusal !== undefined) throw new Error(String(refusal))
      const timer = setTimeout(reconnect, Math.min(Math.max(delay, shortest), limits.upstreamRetryMost))
      timer.unref()
      return () => clearTimeout(timer)
    },
  }
}
