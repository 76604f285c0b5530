// Keeps one process running: starts it, starts it again with backoff when it dies, gives up when it cannot start.
import { setTimeout as delay } from 'node:timers/promises'
import { exits, limits, type FromChild, type ProcessState } from '@gatehouse/contracts'
import { backoff, Refusal, type Logger } from '@gatehouse/kernel'
import type { Birth } from './roster.ts'
import { spawn, type Child } from './spawn.ts'

export interface KeepOptions {
  readonly birth: Birth
  readonly entry: string
  readonly compileCache: string
  readonly log: Logger
  readonly onLine: (line: string) => void
  readonly onSecret: (secret: string) => void
}

export interface Kept {
  readonly name: Birth['name']
  state(): ProcessState
  /** Resolves at the first readiness; rejects with a `Refusal` when the unit must end. */
  readonly ready: Promise<void>
  /** Rejects with a `Refusal` when, later, it cannot be started any more. */
  readonly failed: Promise<never>
  stop(): Promise<void>
}

/** Only exits before ready count, and ready sets both the count and the backoff back. */
export const keep = ({ birth, log, ...options }: KeepOptions): Kept => {
  const ready = Promise.withResolvers<void>()
  const failed = Promise.withResolvers<never>()
  const pause = backoff({ first: limits.restartFirst, most: limits.restartMost })
  const stopping = new AbortController()
  let state: ProcessState = { name: birth.name, state: 'starting', restarts: 0 }
  let child: Child | undefined
  let failures = 0

  const giveUp = (refusal: Refusal): void => {
    ready.reject(refusal)
    failed.reject(refusal)
  }

  const heard = (message: FromChild): void => {
    if (message.type === 'secret') return options.onSecret(message.value)
    if (message.type === 'refuse') return giveUp(new Refusal(message.exit, { detail: message.detail, hint: message.hint }))
    failures = 0
    pause.reset()
    state = { ...state, state: 'ready', since: new Date().toISOString() }
    ready.resolve()
  }

  const once = async (): Promise<void> => {
    child = spawn(birth, { ...options, onMessage: heard })
    state = { name: birth.name, pid: child.pid, state: 'starting', restarts: state.restarts }
    const { code, signal } = await child.exited
    const wasReady = state.state === 'ready'
    state = { name: birth.name, state: 'down', restarts: state.restarts + 1 }
    if (stopping.signal.aborted) return
    if (!wasReady) failures += 1
    log.warn('process ended', { process_name: birth.name, code, signal, failures })
    if (failures >= limits.startsBeforeGivingUp) {
      giveUp(new Refusal(exits.childCannotStart, { detail: `${birth.name} could not be started: ${failures} attempts ended before it was ready` }))
    }
  }

  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted && failures < limits.startsBeforeGivingUp) {
      await once()
      if (stopping.signal.aborted) return
      await delay(pause.next(), undefined, { signal: stopping.signal }).catch(() => undefined)
    }
  }
  const running = run()
  failed.promise.catch(() => undefined)
  ready.promise.catch(() => undefined)

  return {
    name: birth.name,
    state: () => state,
    ready: ready.promise,
    failed: failed.promise,
    stop: async () => {
      stopping.abort()
      if (child === undefined || state.state === 'down') return
      state = { ...state, state: 'stopping' }
      child.drain()
      const late = setTimeout(() => child?.kill(), limits.drainTime + 1_000)
      await running
      clearTimeout(late)
    },
  }
}
