// Writes server-sent events at the pace of the reader.
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { Event } from '../formats/format.ts'

export interface StreamWriter {
  write(text: string): Promise<void>
  isOpen(): boolean
  /** Resolves when what was written has been handed to the system. */
  flushed(): Promise<void>
}

/** An event named `:` is a comment. */
export const toText = ({ event, data }: Event): string => {
  if (event === ':') return `:${String(data)}\n\n`
  const text = typeof data === 'string' ? data : JSON.stringify(data)
  return `${event === undefined ? '' : `event: ${event}\n`}data: ${text}\n\n`
}

export const writeTo = (response: ServerResponse): StreamWriter => {
  const closing = new AbortController()
  response.once('close', () => closing.abort())
  const isOpen = (): boolean => !response.closed && !response.destroyed
  return {
    isOpen,
    write: async (text) => {
      if (!isOpen() || response.write(text)) return
      await once(response, 'drain', { signal: closing.signal }).catch(() => undefined)
    },
    flushed: () => new Promise((resolve) => response.write('', () => setImmediate(resolve))),
  }
}
