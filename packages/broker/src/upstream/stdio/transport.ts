// MCP over the standard streams of a local server: one JSON message a line. A bad line harms nobody but itself.
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'
import { limits } from '@gatehouse/contracts'
import { UpstreamFailure } from '../failure.ts'
import { createLines, type OverlongLine } from './lines.ts'
import { type Program, type RunningProgram, startProgram } from './start-program.ts'
import { createTail } from './tail.ts'

export interface StdioTransport extends Transport {
  /** Named so that the client knows a pipe to a process: silence there means an old server, not an outage. */
  readonly pid: number | null
  readonly stderr: null
  /** A line that was too long to be read. */
  onoverlong?: ((line: OverlongLine) => void) | undefined
  /** A line that is no message. */
  onnoise?: (() => void) | undefined
  /** The last that the server wrote to its stderr. */
  errorOutput(): string
}

export interface StdioOptions {
  readonly program: Program
  /** Each piece of the server's stderr. */
  readonly onErrorOutput?: (text: string) => void
}

/** Sixteen calls of the largest size: a server that leaves more unread gets nothing more. */
const mostUnread = limits.callBody * limits.serverCallsInFlight

const parse = (line: string): JSONRPCMessage | null => {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? (value as JSONRPCMessage) : null
  } catch {
    return null
  }
}

export const createStdioTransport = ({ program, onErrorOutput }: StdioOptions): StdioTransport => {
  const errors = createTail(limits.upstreamStderr)
  let running: RunningProgram | null = null
  let isClosed = false

  const closed = (): void => {
    if (isClosed) return
    isClosed = true
    transport.onclose?.()
  }
  const takeLine = (line: string): void => {
    const message = parse(line)
    if (message === null) transport.onnoise?.()
    else transport.onmessage?.(message)
  }
  const transport: StdioTransport = {
    stderr: null,
    get pid() {
      return running?.pid ?? null
    },
    start: async () => {
      const started = await startProgram(program)
      running = started
      const lines = createLines({ most: limits.upstreamMessage, onLine: takeLine, onOverlong: (line) => transport.onoverlong?.(line) })
      started.stdout.on('data', lines)
      started.stderr.on('data', (chunk: Buffer) => {
        errors.push(chunk)
        onErrorOutput?.(chunk.toString('utf8'))
      })
      void started.gone.then(closed)
    },
    send: async (message) => {
      if (running === null || isClosed || !running.stdin.writable) throw new UpstreamFailure('exited')
      if (running.stdin.writableLength > mostUnread) throw new UpstreamFailure('backlog')
      running.stdin.write(`${JSON.stringify(message)}\n`)
    },
    close: async () => {
      await running?.stop()
      closed()
    },
    errorOutput: () => errors.text(),
  }
  return transport
}
