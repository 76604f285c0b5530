// What goes wrong with a stream, and when.
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { Fault } from '../script/turn.ts'
import type { StreamWriter } from './write.ts'

type StreamFault = Exclude<Fault, { kind: 'status' | 'media-type' }>

interface Means {
  readonly writer: StreamWriter
  readonly response: ServerResponse
  readonly filler: string
  readonly errorEvent: string
}

/** Bytes after which an endless stream only stays open. */
const enough = 512 * 1024 * 1024

const goOn = async ({ writer, filler }: Means): Promise<void> => {
  const block = filler.repeat(256)
  for (let sent = 0; sent < enough && writer.isOpen(); sent += block.length) await writer.write(block)
}

const stayOpen = async ({ response }: Means): Promise<void> => {
  if (!response.closed) await once(response, 'close')
}

/** The bytes before a reset must have left, or the client sees a connection that was never there. */
const reset = async ({ response, writer }: Means): Promise<void> => {
  if (response.headersSent) await writer.flushed()
  response.socket?.resetAndDestroy()
}

export const failStream = async (fault: StreamFault, means: Means): Promise<void> => {
  switch (fault.kind) {
    case 'end':
      return void means.response.end()
    case 'reset':
      return reset(means)
    case 'silence':
      return stayOpen(means)
    case 'malformed':
      await means.writer.write('data: {"this is": not JSON\n\n')
      return void means.response.end()
    case 'error-event':
      await means.writer.write(means.errorEvent)
      return void means.response.end()
    case 'endless':
      await goOn(means)
      return stayOpen(means)
  }
}
