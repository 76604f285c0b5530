// MCP over the standard streams of a local server: one JSON message a line. A bad line harms nobody but itself.
import type { Readable } from 'node:stream'
import { jsonBounds, limits, type ServerImage } from '@gatehouse/contracts'
import { JsonScanner, parseScannedJson } from '@gatehouse/kernel'
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'
import { readMessages, UpstreamFailure } from '../base/failure.ts'
import { createLines, type OverlongLine } from './lines.ts'
import type { RunningProgram } from './start-program.ts'
import { type ItemEffect, ReadThrottle } from './throttle.ts'

export interface StdioOptions {
  /** Starts the server, here or elsewhere. */
  readonly start: () => Promise<RunningProgram>
  /** Each piece of the server's stderr; nothing at its end. */
  readonly onErrorOutput?: (chunk?: Buffer) => void
  /** A line of its output is no message. */
  readonly onNoise?: () => void
}

/** Sixteen calls of the largest size: a server that leaves more unread gets nothing more. */
const maxUnread = limits.callBody * limits.serverCallsInFlight

/** Bytes of it that are taken as one: it may be lines of a character each. */
const errorChunk = 4_096

/** Chatter that nobody here listens to, dropped before it costs a check of its shape. */
const ignoredMethods: ReadonlySet<unknown> = new Set(['notifications/message', 'notifications/progress'])

const isMessage = (value: unknown): value is JSONRPCMessage => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Empty for a line that is not a message. Programs on some platforms begin their output with a byte order mark. */
const parse = (line: string): readonly JSONRPCMessage[] => {
  try {
    const value = parseScannedJson(line.startsWith('\ufeff') ? line.slice(1) : line, jsonBounds.upstreamMessage)
    return readMessages(value).filter(isMessage)
  } catch {
    return []
  }
}

export class StdioTransport implements Transport {
  onclose?: (() => void) | undefined
  onerror?: ((error: Error) => void) | undefined
  onmessage?: ((message: JSONRPCMessage) => void) | undefined
  /** A line that was over a limit and is not read. */
  onoverlong?: (line: OverlongLine) => void
  /** With `pid` it tells the client that this is a pipe to a process: silence there means an old server, not an outage. */
  readonly stderr = null
  readonly #options: StdioOptions
  #running: RunningProgram | null = null
  #turns: ReadThrottle<string> | null = null
  #isClosed = false

  constructor(options: StdioOptions) {
    this.#options = options
  }

  get pid(): number | null {
    return this.#running?.pid ?? null
  }

  /** The image that it runs in, if it does. */
  get image(): ServerImage | undefined {
    return this.#running?.image
  }

  /** Why it never ran, where that is known. */
  get failure(): UpstreamFailure | undefined {
    return this.#running?.failure?.()
  }

  async start(): Promise<void> {
    const running = await this.#options.start()
    this.#running = running
    const turns = new ReadThrottle<string>(running.stdout, (line) => this.#take(line))
    this.#turns = turns
    const onOverlong = (line: OverlongLine): void => {
      turns.forfeit()
      this.onoverlong?.(line)
    }
    const cut = createLines({
      most: limits.upstreamMessage,
      onLine: (line) => turns.take(line),
      onOverlong,
      onOverrun: (line) => onOverlong({ ...line, tail: '' }),
      watch: () => new JsonScanner(jsonBounds.upstreamMessage),
    })
    running.stdout.on('data', (chunk: Buffer) => {
      cut(chunk)
      turns.read(chunk.length)
    })
    // Its last words may lack their end.
    running.stdout.once('end', () => cut(Buffer.from('\n')))
    this.#readErrors(running.stderr)
    void running.gone.then(() => this.#closed())
    // Closed while it started.
    if (this.#isClosed) await running.stop()
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#running === null || this.#isClosed || !this.#running.stdin.writable) throw new UpstreamFailure('exited')
    if (this.#running.stdin.writableLength > maxUnread) throw new UpstreamFailure('backlog')
    if ('method' in message && 'id' in message) this.#turns?.ask()
    this.#running.stdin.write(`${JSON.stringify(message)}\n`)
  }

  async close(): Promise<void> {
    await this.#running?.stop()
    this.#closed()
  }

  #readErrors(stderr: Readable): void {
    const keep = (chunk: Buffer): ItemEffect => {
      this.#options.onErrorOutput?.(chunk)
      return 'nothing'
    }
    const turns = new ReadThrottle<Buffer>(stderr, keep)
    stderr.on('data', (chunk: Buffer) => {
      for (let at = 0; at < chunk.length; at += errorChunk) turns.take(chunk.subarray(at, at + errorChunk))
    })
    stderr.once('end', () => {
      turns.finish()
      this.#options.onErrorOutput?.()
    })
  }

  #take(line: string): ItemEffect {
    const messages = parse(line)
    if (messages.length === 0) this.#options.onNoise?.()
    const heard = messages.filter((message) => !('method' in message) || !ignoredMethods.has(message.method))
    for (const message of heard) this.onmessage?.(message)
    if (heard.length === 0) return 'nothing'
    return heard.some((message) => 'method' in message && 'id' in message) ? 'question' : 'answer'
  }

  #closed(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#turns?.finish()
    this.onclose?.()
  }
}
