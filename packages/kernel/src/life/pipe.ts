// The inherited pipe to the supervisor: one boot document in, lines both ways, and its end means the supervisor is gone.
import { Socket } from 'node:net'
import { exits, type FromChild } from '@gatehouse/contracts'
import { Refusal } from './refusal.ts'

/** Lines out of a stream, for a reader that leaves nothing of them behind in its buffers. */
export interface LineReader {
  push(chunk: Buffer): void
}

export interface LineOptions {
  readonly onLine: (text: string) => void
  /** A line longer than `most` bytes; nothing is read after it. */
  readonly onTooLong: () => void
  readonly most: number
}

/** Overwrites each buffer that it was given once the line in it is handed on. */
const createLineReader = ({ onLine, onTooLong, most }: LineOptions): LineReader => {
  let chunks: Buffer[] = []
  let size = 0
  const take = (end: Buffer): void => {
    const line = Buffer.concat([...chunks, end])
    for (const part of [...chunks, end]) part.fill(0)
    chunks = []
    size = 0
    const text = line.toString('utf8')
    line.fill(0)
    onLine(text)
  }
  return {
    push: (chunk) => {
      let rest = chunk
      for (let at = rest.indexOf(10); at >= 0; at = rest.indexOf(10)) {
        take(rest.subarray(0, at))
        rest = rest.subarray(at + 1)
      }
      size += rest.length
      if (size > most) onTooLong()
      else if (rest.length > 0) chunks.push(rest)
    },
  }
}

const bootFd = 3
const bootMost = 16 * 1024 * 1024

export interface ParentPipe {
  /** Resolves with the first line; rejects when the pipe ends before it. */
  readonly first: Promise<string>
  /** Resolves when the supervisor asks for a drain. */
  readonly drain: Promise<void>
  /** Resolves when the supervisor is gone. */
  readonly gone: Promise<void>
  send(message: FromChild): void
  /** Resolves when every line is handed to the system, or at once when nobody reads any more. */
  flush(): Promise<void>
}

/** Accepts `drain` and `{"type":"drain"}`; other lines have no meaning yet. */
const isDrain = (line: string): boolean => /^\s*(?:drain|\{\s*"type"\s*:\s*"drain"\s*\})\s*$/.test(line)

const inherited = (fd: number): Socket => {
  try {
    return new Socket({ fd, readable: true, writable: true })
  } catch (error) {
    throw new Refusal(exits.configuration, {
      detail: `expected a pipe to the supervisor on descriptor ${fd}, got none`,
      hint: 'start the unit with: gatehouse',
      cause: error,
    })
  }
}

/** `Refusal` 78 when the process was not started by a supervisor. */
export const openPipe = (fd = bootFd): ParentPipe => {
  const socket = inherited(fd)
  const first = Promise.withResolvers<string>()
  const drain = Promise.withResolvers<void>()
  const gone = Promise.withResolvers<void>()
  let take = (text: string): void => {
    take = (line) => void (isDrain(line) && drain.resolve())
    first.resolve(text)
  }
  const reader = createLineReader({ onLine: (text) => take(text), onTooLong: () => socket.destroy(), most: bootMost })
  const end = (): void => {
    first.reject(new Refusal(exits.configuration, { detail: 'expected a boot document on the inherited pipe, got its end' }))
    gone.resolve()
  }
  first.promise.catch(() => undefined)
  socket.on('data', (chunk) => reader.push(chunk))
  socket.on('error', end)
  socket.on('end', end)
  socket.on('close', end)
  const write = (text: string, done?: () => void): void => {
    if (socket.writable) socket.write(text, done)
    else done?.()
  }
  return {
    first: first.promise,
    drain: drain.promise,
    gone: gone.promise,
    send: (message) => write(`${JSON.stringify(message)}\n`),
    flush: () => new Promise((resolve) => write('', resolve)),
  }
}
