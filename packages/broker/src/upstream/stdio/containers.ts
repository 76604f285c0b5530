// Local servers in containers, started by the runner: this process never holds the engine. Only the two ends of a server's
// streams are here, and what the runner says of its end.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import {
  type ContainerStart,
  isServiceError,
  limits,
  type LocalEntry,
  type runnerBroker,
  type ServerName,
  type SessionID,
} from '@gatehouse/contracts'
import { endsWithin, type Logger } from '@gatehouse/kernel'
import type { Calls, EdgeClient } from '@gatehouse/rpc'
import { UpstreamFailure } from '../base/failure.ts'
import type { RunningProgram } from './start-program.ts'

export interface LocalServer {
  readonly name: ServerName
  readonly entry: LocalEntry
  /** Expanded. */
  readonly env: Readonly<Record<string, string>>
  /** Where each session has a container of its own. */
  readonly session?: SessionID
}

export interface Containers {
  /** Rejects with `UpstreamFailure`. */
  start(server: LocalServer): Promise<RunningProgram>
  close(): void
}

type Runner = Calls<typeof runnerBroker>
type Started = Extract<ContainerStart, { started: true }>

/** Exit codes of an engine's client for a container that never ran its command. */
const failures: Readonly<Record<number, UpstreamFailure>> = {
  125: new UpstreamFailure(
    'not-started',
    'the server could not be started: the container engine refused it; the log of the server says why',
  ),
  126: new UpstreamFailure('not-executable'),
  127: new UpstreamFailure('command-not-found'),
}

const open = async (path: string): Promise<Socket> => {
  const socket = connect({ path, allowHalfOpen: true })
  await once(socket, 'connect', { signal: AbortSignal.timeout(limits.connectTime) })
  socket.on('error', () => {
    // `close` comes next.
  })
  return socket
}

/** The runner may be gone too; then nobody knows. */
const readExitCode = async (runner: Runner, container: string): Promise<number | null> => {
  try {
    return (await runner.ended({ container })).code
  } catch {
    return null
  }
}

const attach = async ({ socket, container, image }: Started, runner: Runner, log: Logger): Promise<RunningProgram> => {
  // In this order: the runner tells them apart by it.
  const messages = await open(socket)
  const errors = await open(socket)
  let failure: UpstreamFailure | undefined
  const closed = new Promise<void>((resolve) => void messages.once('close', () => resolve()))
  const told = new Promise<void>((resolve) => void errors.once('close', () => resolve()))
  const gone = closed.then(async () => {
    await endsWithin(told, limits.upstreamStopTime)
    const code = await readExitCode(runner, container)
    failure = code === null ? undefined : failures[code]
    if (code !== 0) log.warn('the container of a tool server has ended', { container, code })
  })
  // Without an output it is of no use.
  messages.once('end', () => messages.destroy())
  errors.once('end', () => errors.destroy())
  return {
    pid: null,
    stdin: messages,
    stdout: messages,
    stderr: errors,
    image,
    failure: () => failure,
    gone,
    stop: async () => {
      messages.end()
      if (await endsWithin(closed, limits.upstreamStopTime)) return gone
      await runner.stop({ container }).catch((error: unknown) => log.warn('could not stop a tool server', { container, error }))
      messages.destroy()
      errors.destroy()
      await gone
    },
  }
}

const describeNoEngine = (reason: string): string =>
  `the server cannot be started: no container engine can be used: ${reason}: fix that, or choose another engine with --mcp-engine`

/** What the runner answers is ours; its words for an operator are in its own log too. */
const startOne = async (runner: Runner, order: Parameters<Runner['start']>[0], log: Logger): Promise<RunningProgram> => {
  const answer = await runner.start(order).catch((error: unknown) => {
    throw isServiceError(error) ? new UpstreamFailure('not-started', 'the server could not be started: the runner does not answer') : error
  })
  if (!answer.started) {
    log.warn('mcp.container.refused', { server: order.server, reason: answer.reason, detail: answer.detail })
    throw new UpstreamFailure(answer.reason, answer.reason === 'no-engine' ? describeNoEngine(answer.detail) : answer.detail)
  }
  const { pinned, moved, id } = answer.image
  if (pinned && moved !== undefined)
    log.warn('the image of a tool server has moved; the pinned one is run', { server: order.server, id, moved })
  return attach(answer, runner, log).catch((error: unknown) => {
    log.warn('could not connect to the streams of a tool server', { container: answer.container, error })
    throw new UpstreamFailure('not-started')
  })
}

type Connect = (listeners: { readonly onConnect: () => Promise<void> }) => EdgeClient<typeof runnerBroker>

export const connectContainers = (connectRunner: Connect, log: Logger): Containers => {
  const broker = randomBytes(16).toString('hex')
  const runner = connectRunner({
    onConnect: async () => {
      await runner.calls.begin({ broker })
    },
  })
  return {
    start: ({ name, entry, env, session }) => {
      const { command, args, image = '', imageID, volumes = [], data = false } = entry
      const order = { broker, server: name, session, command, args, image, imageID, env: { ...env }, volumes, data }
      return startOne(runner.calls, order, log.child({ server: name }))
    },
    close: () => runner.close(),
  }
}
