// The inherited pipe to the supervisor: it carries the boot document and then lines both ways. Its end means that the supervisor is gone.
import { Socket } from 'node:net'
import { exits, type FromChild } from '@gatehouse/contracts'
import { Refusal } from './refusal.ts'

/** Splits a stream into lines and leaves no copy of them in its buffers. */
export interface LineReader {
  push(chunk: Buffer): void
}

export interface LineOptions {
  readonly onLine: (text: string) => void
  /** Called for a line longer than `maxBytes`; nothing is read after it. */
  readonly onTooLong: () => void
  readonly maxBytes: number
}

/** Overwrites each buffer after its line has been passed on, because lines hold secrets. */
const createLineReader = ({ onLine, onTooLong, maxBytes }: LineOptions): LineReader => {
  let chunks: Buffer[] = []
  let size = 0
  const emitLine = (end: Buffer): void => {
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
        emitLine(rest.subarray(0, at))
        rest = rest.subarray(at + 1)
      }
      size += rest.length
      if (size > maxBytes) onTooLong()
      else if (rest.length > 0) chunks.push(rest)
    },
  }
}

const bootFd = 3
const maxBootBytes = 16 * 1024 * 1024

export interface ParentPipe {
  /** Resolves with the first line; rejects when the pipe ends before it. */
  readonly first: Promise<string>
  /** Resolves when the supervisor asks for a drain. */
  readonly drain: Promise<void>
  /** Resolves when the supervisor is gone. */
  readonly gone: Promise<void>
  send(message: FromChild): void
  /** Resolves when every line is written to the pipe, or at once when the pipe is closed. */
  flush(): Promise<void>
}

/** Accepts `drain` and `{"type":"drain"}`; other lines are ignored. */
const isDrain = (line: string): boolean => /^\s*(?:drain|\{\s*"type"\s*:\s*"drain"\s*\})\s*$/.test(line)

const openInherited = (fd: number): Socket => {
  try {
    return new Socket({ fd, readable: true, writable: true })
  } catch (error) {
    throw new Refusal(exits.configuration, {
      detail: `no pipe to the supervisor on descriptor ${fd}`,
      hint: 'start the unit with: gatehouse',
      cause: error,
    })
  }
}

/** Throws `Refusal` 78 when the process was not started by a supervisor. */
export const openPipe = (fd = bootFd): ParentPipe => {
  const socket = openInherited(fd)
  const first = Promise.withResolvers<string>()
  const drain = Promise.withResolvers<void>()
  const gone = Promise.withResolvers<void>()
  let take = (text: string): void => {
    take = (line) => void (isDrain(line) && drain.resolve())
    first.resolve(text)
  }
  const reader = createLineReader({ onLine: (text) => take(text), onTooLong: () => socket.destroy(), maxBytes: maxBootBytes })
  const end = (): void => {
    first.reject(new Refusal(exits.configuration, { detail: 'the inherited pipe ended before the boot document' }))
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
