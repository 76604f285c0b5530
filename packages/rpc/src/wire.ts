// A socket that carries frames after a hello. Closes on a malformed or oversized frame and says why.
import type { Socket } from 'node:net'
import { limits } from '@gatehouse/contracts'
import { createFrameReader, encodeFrame } from './frame.ts'
import { type Hello, helloMost, type Lane } from './hello.ts'

export interface WireOptions {
  readonly socket: Socket
  readonly hello: Hello
  /** Sent at once. */
  readonly first?: object
  /** Both ends have proved themselves. */
  onOpen(wire: Wire, lane: Lane): void
  /** Once, with the reason when this end closed. */
  onClose(reason: string | undefined): void
}

export interface Wire {
  /** Gets each frame after the hello. */
  onMessage: (message: unknown) => void
  send(frame: string): void
  /** Bytes that the other end has not taken yet. */
  backlog(): number
  close(reason?: string): void
  /** Closes when what is written has been taken. */
  finish(): void
}

const parse = (line: string): unknown => {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

export const openWire = ({ socket, hello, first, onOpen, onClose }: WireOptions): Wire => {
  let open = false
  let reason: string | undefined
  const close = (why?: string): void => {
    reason ??= why
    reader.stop()
    socket.destroy()
  }
  const wire: Wire = {
    onMessage: () => close('expected no message yet, got one'),
    send: (frame) => void (socket.writable && socket.write(frame)),
    backlog: () => socket.writableLength,
    close,
    finish: () => socket.destroySoon(),
  }
  const greet = (message: unknown): void => {
    const step = hello(message)
    if ('refused' in step) return close(step.refused)
    if (step.send !== undefined) wire.send(encodeFrame(step.send))
    if (step.done === undefined) return
    open = true
    clearTimeout(patience)
    onOpen(wire, step.done)
  }
  const reader = createFrameReader({
    onFrame: (line) => {
      if (!open && line.length > helloMost) return close('expected a hello, got a longer line')
      const message = parse(line)
      if (typeof message !== 'object' || message === null) return close('expected a frame of JSON, got something else')
      if (open) wire.onMessage(message)
      else greet(message)
    },
    onOversize: () => close(`expected a frame of at most ${limits.rpcFrame} bytes, got more`),
  })
  const patience = setTimeout(() => close(`expected a hello within ${limits.rpcHelloTime} ms, got none`), limits.rpcHelloTime)
  socket.on('data', (chunk) => reader.push(chunk))
  socket.on('error', (error) => (reason ??= error.message))
  socket.on('close', () => {
    clearTimeout(patience)
    onClose(reason)
  })
  if (first !== undefined) wire.send(encodeFrame(first))
  return wire
}
