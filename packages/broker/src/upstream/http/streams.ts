// When a stream of events that ended is asked for again: never so soon that it is a load, never so late that a timer cannot count it,
// and not at all where it was cut for its size, since it would be again.
import { limits } from '@gatehouse/contracts'
import { OutboundFailure } from '@gatehouse/outbound'
import type { StreamableHTTPClientTransportOptions, Transport } from '@modelcontextprotocol/client'

type Scheduler = NonNullable<StreamableHTTPClientTransportOptions['reconnectionScheduler']>

/** Milliseconds. A server may name any pause, also none. */
const shortest = 250

export interface Streams {
  readonly scheduler: Scheduler
  /** To be set before the transport is used. */
  watch(transport: Transport): void
}

export const createStreams = (): Streams => {
  let wasCut = false
  return {
    watch: (transport) => {
      const onerror = ({ message }: Error): void => {
        wasCut = message.includes(OutboundFailure.name)
        // What is asked of the scheduler for this stream is asked at once.
        queueMicrotask(() => (wasCut = false))
      }
      Object.assign(transport, { onerror })
    },
    scheduler: (reconnect, delay) => {
      // The name is looked for by whoever waits for the answer.
      if (wasCut) throw new Error(`${OutboundFailure.name}: the stream was cut`)
      const timer = setTimeout(reconnect, Math.min(Math.max(delay, shortest), limits.upstreamRetryMost))
      timer.unref()
      return () => clearTimeout(timer)
    },
  }
}
