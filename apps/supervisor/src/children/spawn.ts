// Starts one process with an environment of our own alone; its boot document arrives through the inherited pipe. Also stops all processes.
import { userInfo } from 'node:os'
import { createInterface } from 'node:readline'
import { Duplex, type Readable } from 'node:stream'
import { FromChild, jsonBounds } from '@gatehouse/contracts'
import { jsonText } from '@gatehouse/kernel'
import { execa } from 'execa'
import * as v from 'valibot'
import type { Birth } from './roster.ts'

export interface SpawnOptions {
  readonly entry: string
  readonly compileCache: string
  readonly onMessage: (message: FromChild) => void
  readonly onLine: (line: string) => void
}

export interface Child {
  /** Undefined where it could not be started at all. */
  readonly pid: number | undefined
  /** Resolves when the process is gone, whatever the way. Rejects where there was none. */
  readonly exited: Promise<{ readonly code: number | undefined; readonly signal: string | undefined }>
  /** Asks it to finish what it does and to end. */
  drain(): void
  /** Tells it that something of the host is to be read again. */
  hangUp(): void
  kill(): void
}

/** With `--expose-gc` a service collects its garbage when it becomes idle. */
const nodeFlags = ['--disable-sigusr1', '--disable-warning=ExperimentalWarning', '--v8-pool-size=1', '--expose-gc']

/**
 * For the allocator of glibc. By itself it learns from each large buffer to keep buffers of that size for later, up to 64 MiB, and lets each
 * thread have its own store: after a few large documents a process would keep what it does not use.
 */
const allocator = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '131072', MALLOC_TRIM_THRESHOLD_: '131072' } as const

/** MiB of young heap: small where a process idles, larger where every call makes garbage. */
const semiSpace = ({ name }: Birth): string => `--max-semi-space-size=${name === 'broker' || name === 'model-proxy' ? 8 : 1}`

/** A uid that the host has no name for, such as that of an image, has no home to be looked up, and libraries fail over it. */
const homeOfNobody = (): Readonly<Record<string, string>> => {
  try {
    userInfo()
    return {}
  } catch {
    return { HOME: '/' }
  }
}

const eachLine = (stream: Readable, handle: (line: string) => void): void => {
  const lines = createInterface({ input: stream, crlfDelay: Infinity })
  lines.on('line', handle)
  // A process that dies with words unread resets its pipe; `exited` tells of its end.
  lines.on('error', () => undefined)
}

/** Such as where the host has no room for one more process. */
const unstarted = (child: Promise<{ readonly originalMessage?: string | undefined }>): Child => {
  const exited = child.then(({ originalMessage = 'no reason is known' }) => {
    throw new Error(originalMessage)
  })
  const nothing = (): void => undefined
  return { pid: undefined, exited, drain: nothing, hangUp: nothing, kill: nothing }
}

/** Throws where not even a pipe can be made. */
export const spawn = (birth: Birth, options: SpawnOptions): Child => {
  const { name, boot } = birth
  const child = execa(process.execPath, [...nodeFlags, semiSpace(birth), options.entry], {
    env: { NODE_COMPILE_CACHE: options.compileCache, ...allocator, ...homeOfNobody() },
    extendEnv: false,
    cwd: '/',
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    argv0: `gatehouse-${name}`,
    buffer: false,
    reject: false,
    cleanup: true,
    // By default execa kills the process five seconds after `drain`. The caller knows how long a drain may take.
    forceKillAfterDelay: false,
  })
  const pipe = child.stdio[3]
  if (!(pipe instanceof Duplex) || child.pid === undefined) return unstarted(child)
  pipe.on('error', () => undefined)
  eachLine(pipe, (line) => {
    const message = v.safeParse(v.pipe(jsonText(jsonBounds.childOutput), FromChild), line)
    if (message.success) options.onMessage(message.output)
  })
  eachLine(child.stdout, options.onLine)
  eachLine(child.stderr, options.onLine)
  pipe.write(`${JSON.stringify(boot)}\n`)
  return {
    pid: child.pid,
    exited: child.then(({ exitCode, signal }) => ({ code: exitCode, signal })),
    drain: () => void child.kill('SIGTERM'),
    hangUp: () => void child.kill('SIGHUP'),
    kill: () => void child.kill('SIGKILL'),
  }
}

/** Takes a unit's processes down in four steps: the listener, who calls the runner, the runner, the ground: nobody calls a process that
 * is gone. The processes of one step end together. The total time stays below the time after which an init system kills the unit. */
interface Stoppable {
  readonly name: Birth['name']
  /** Resolves when it is gone, which it is made to be after so many milliseconds. */
  stop(most: number): Promise<void>
}

/** Milliseconds. Docker Compose and Kubernetes kill after 30 s, systemd after 40. */
const patience = 28_000
/** Of it, what each later step has for itself, however long the earlier ones take. */
const share = 2_000

const steps: readonly Stoppable['name'][] = ['control-plane', 'runner', 'gateway']

/** Channels note with the runner what a service took, or it would be sent again. */
const stepOf = ({ name }: Stoppable): number => [0, 2, 3][steps.indexOf(name)] ?? 1

interface StopOptions {
  readonly most?: number
  readonly clock?: () => number
}

export const stopAll = async (
  children: readonly Stoppable[],
  { most = patience, clock = () => performance.now() }: StopOptions = {},
): Promise<void> => {
  const deadline = clock() + most
  for (const step of [0, 1, 2, 3]) {
    const left = deadline - clock() - ((3 - step) * share * most) / patience
    await Promise.all(children.filter((child) => stepOf(child) === step).map((child) => child.stop(Math.max(0, left))))
  }
}
