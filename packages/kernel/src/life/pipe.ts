// The inherited pipe to the supervisor: one boot document in, lines both ways, and its end means the supervisor is gone.
import { Socket } from 'node:net'
import type { FromChild } from '@gatehouse/contracts'

const bootFd = 3
const bootMost = 16 * 1024 * 1024

export interface ParentPipe {
  /** Resolves with the first line; rejects when the pipe ends before it. */
  readonly first: Promise<string>
  send(message: FromChild): void
  /** The supervisor asks for a drain. */
  onDrain(listener: () => void): void
  /** The supervisor is gone. */
  onGone(listener: () => void): void
  /** Resolves when every line is handed to the system, or at once when nobody reads any more. */
  flush(): Promise<void>
}

/** Accepts `drain` and `{"type":"drain"}`; ignores lines that it does not know. */
const isDrain = (line: string): boolean => /^\s*(?:drain|\{\s*"type"\s*:\s*"drain"\s*\})\s*$/.test(line)

export const openPipe = (fd = bootFd): ParentPipe => {
  const socket = new Socket({ fd, readable: true, writable: true })
  const first = Promise.withResolvers<string>()
  const drained = Promise.withResolvers<void>()
  const gone = Promise.withResolvers<void>()
  let chunks: Buffer[] = []
  let size = 0
  let booted = false

  const takeLine = (line: Buffer): void => {
    const text = line.toString('utf8')
    line.fill(0)
    if (!booted) {
      booted = true
      first.resolve(text)
    } else if (isDrain(text)) drained.resolve()
  }
  socket.on('data', (data: Buffer) => {
    let rest = data
    for (let at = rest.indexOf(10); at >= 0; at = rest.indexOf(10)) {
      takeLine(Buffer.concat([...chunks, rest.subarray(0, at)]))
      for (const chunk of chunks) chunk.fill(0)
      rest.fill(0, 0, at)
      chunks = []
      size = 0
      rest = rest.subarray(at + 1)
    }
    if (rest.length === 0) return
    chunks.push(rest)
    size += rest.length
    if (size > bootMost) socket.destroy(new Error(`expected a boot document of at most ${bootMost} bytes`))
  })
  const end = (error?: Error): void => {
    first.reject(error ?? new Error('the pipe ended before the boot document'))
    gone.resolve()
  }
  first.promise.catch(() => undefined)
  socket.on('error', end)
  socket.on('end', () => end())
  socket.on('close', () => end())
  return {
    first: first.promise,
    send: (message) => void (socket.writable && socket.write(`${JSON.stringify(message)}\n`)),
    onDrain: (listener) => void drained.promise.then(listener),
    onGone: (listener) => void gone.promise.then(listener),
    flush: () =>
      new Promise((resolve) => {
        if (!socket.writable) resolve()
        else socket.write('', () => resolve())
      }),
  }
}
