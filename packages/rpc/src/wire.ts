// A socket that carries frames after a hello. Closes on a malformed or oversized frame and says why.
import type { Socket } from 'node:net'
import { jsonBounds, limits } from '@gatehouse/contracts'
import { describeJsonFault, parseScannedJson } from '@gatehouse/kernel'
import { encodeFrame, FrameReader } from './frame.ts'
import { type Hello, helloMost, type Lane } from './hello.ts'

export interface WireOptions {
  readonly socket: Socket
  readonly hello: Hello
  /** Sent at once. */
  readonly first?: object
  /** Both ends have proved themselves; `onMessage` must be set before it returns. */
  readonly onOpen: (wire: Wire, lane: Lane) => void
  /** Once, with the reason when this end closed or the socket failed. */
  readonly onClose: (reason: string | undefined) => void
}

const largestWrite = 1024 * 1024

const parse = (line: string): unknown => {
  try {
    return parseScannedJson(line, jsonBounds.rpcFrame)
  } catch {
    return undefined
  }
}

export class Wire {
  /** Gets each frame after the hello. */
  onMessage: ((message: object) => void) | undefined
  readonly #options: WireOptions
  readonly #socket: Socket
  readonly #reader: FrameReader
  readonly #patience: NodeJS.Timeout
  #reason: string | undefined
  #waiting = ''

  constructor(options: WireOptions) {
    this.#options = options
    this.#socket = options.socket
    this.#reader = new FrameReader(helloMost, {
      onFrame: (line) => this.#read(line),
      onOversize: (fault) => this.close(`the frame ${describeJsonFault(fault, { ...jsonBounds.rpcFrame, bytes: this.#reader.most })}`),
    })
    this.#patience = setTimeout(() => this.close(`expected a hello within ${limits.rpcHelloTime} ms, got none`), limits.rpcHelloTime)
    this.#socket.on('data', (chunk) => this.take(chunk))
    this.#socket.on('error', (error) => (this.#reason ??= error.message))
    this.#socket.on('close', () => this.#end())
    if (options.first !== undefined) this.send(encodeFrame(options.first))
  }

  /** Bytes that arrived. They are read before this returns. */
  take(chunk: Buffer): void {
    this.#reader.push(chunk)
  }

  /** Frames of one turn leave in one write: many callers cost one system call. */
  send(frame: string): void {
    if (this.#waiting === '') process.nextTick(this.#flush)
    this.#waiting += frame
    if (this.#waiting.length > largestWrite) this.#flush()
  }

  /** About how many bytes the other end has not taken yet. */
  get backlog(): number {
    return this.#waiting.length + this.#socket.writableLength
  }

  close(reason?: string): void {
    this.#reason ??= reason
    this.#reader.stop()
    this.#socket.destroy()
  }

  /** Closes when what is written has been taken. */
  finish(): void {
    this.#flush()
    this.#socket.destroySoon()
  }

  readonly #flush = (): void => {
    if (this.#waiting !== '' && this.#socket.writable) this.#socket.write(this.#waiting)
    this.#waiting = ''
  }

  #end(): void {
    clearTimeout(this.#patience)
    this.#options.onClose(this.#reason)
  }

  #read(line: string): void {
    const message = parse(line)
    if (typeof message !== 'object' || message === null) this.close('expected a frame of JSON, got something else')
    else if (this.onMessage === undefined) this.#greet(message)
    else this.onMessage(message)
  }

  #greet(message: object): void {
    const step = this.#options.hello(message)
    if ('refused' in step) return this.close(step.refused)
    if (step.send !== undefined) this.send(encodeFrame(step.send))
    if (step.done === undefined) return
    clearTimeout(this.#patience)
    this.#reader.most = limits.rpcFrame
    this.#options.onOpen(this, step.done)
  }
}
