// Supervises one process: starts it, restarts it after a crash with growing pauses, and tracks whether it is ready.
import { setTimeout as delay } from 'node:timers/promises'
import { exits, type FromChild, limits, type ProcessState } from '@gatehouse/contracts'
import { backoff, type Logger, Refusal, wallTime } from '@gatehouse/kernel'
import type { Birth } from './roster.ts'
import { type Child, spawn } from './spawn.ts'

export interface KeepOptions {
  readonly birth: Birth
  readonly entry: string
  readonly compileCache: string
  readonly log: Logger
  readonly onLine: (line: string) => void
  readonly onSecret: (secret: string, isShortLived: boolean) => void
}

export class Kept {
  readonly name: Birth['name']
  readonly #options: KeepOptions
  readonly #ready = Promise.withResolvers<void>()
  readonly #failed = Promise.withResolvers<never>()
  readonly #pause = backoff({ first: limits.restartFirst, most: limits.restartMost })
  readonly #ending = new AbortController()
  readonly #running: Promise<void>
  #state: ProcessState
  #child: Child | undefined
  /** Only ends before ready count, and ready sets the count back. */
  #failures = 0
  #wasReady = false
  /** Why it could not come back, if it said so, since it was last ready. */
  #refused: { readonly detail: string; readonly hint?: string | undefined } | undefined
  /** Told to read again while it could not hear. */
  #toldMeanwhile = false

  constructor(options: KeepOptions) {
    this.name = options.birth.name
    this.#options = options
    this.#state = { name: this.name, state: 'starting', restarts: 0 }
    this.#ready.promise.catch(() => undefined)
    this.#failed.promise.catch(() => undefined)
    this.#running = this.#run()
  }

  get state(): ProcessState {
    return this.#state
  }

  /** Resolves at the first readiness; rejects with a `Refusal` when the unit must end. */
  get ready(): Promise<void> {
    return this.#ready.promise
  }

  /** Rejects with a `Refusal` when it cannot be started any more. */
  get failed(): Promise<never> {
    return this.#failed.promise
  }

  /** From now on an end is an end. */
  restartNoMore(): void {
    this.#ending.abort()
  }

  /** Passes SIGHUP on: at once to a process that is ready, else as soon as it is, since an earlier one would end it. */
  hangUp(): void {
    if (this.#state.state === 'ready') this.#child?.hangUp()
    else this.#toldMeanwhile = true
  }

  /** @param most milliseconds, after which it is killed; never more than its own time and a second */
  async stop(most = Infinity): Promise<void> {
    this.restartNoMore()
    if (this.#state.state === 'down') return
    this.#state = { ...this.#state, state: 'stopping' }
    this.#child?.drain()
    const late = setTimeout(() => this.#child?.kill(), Math.min(most, limits.drainTime + 1_000))
    await this.#running
    clearTimeout(late)
  }

  async #run(): Promise<void> {
    const { signal } = this.#ending
    while (!signal.aborted) {
      await this.#once()
      // A stop ends the pause; the loop sees it.
      await delay(this.#pause.next(), undefined, { signal }).catch(() => undefined)
    }
  }

  async #once(): Promise<void> {
    const { restarts } = this.#state
    const { code, signal } = await this.#live(restarts)
    if (this.#state.state !== 'ready') this.#failures += 1
    this.#state = { name: this.name, state: 'down', restarts: restarts + 1 }
    if (this.#ending.signal.aborted) return
    this.#options.log.warn('process ended', { ended: this.name, code, signal, failures: this.#failures, ...this.#refused })
    if (this.#failures < limits.startsBeforeGivingUp) return
    const { detail: said, hint = 'its own log lines above say why' } = this.#refused ?? {}
    const detail = `${this.name} could not be started: ${this.#failures} attempts ended before it was ready`
    this.#giveUp(new Refusal(exits.childCannotStart, { detail: said === undefined ? detail : `${detail}: ${said}`, hint }))
  }

  #birth(): Birth {
    const { birth } = this.#options
    return this.#wasReady ? { name: birth.name, boot: { ...birth.boot, restarted: true } } : birth
  }

  /** From its start to its end. What the host has no room for now has ended at once. */
  async #live(restarts: number): Promise<Awaited<Child['exited']>> {
    this.#state = { name: this.name, state: 'starting', restarts }
    try {
      this.#child = spawn(this.#birth(), { ...this.#options, onMessage: (message) => this.#hear(message) })
      const { pid, exited } = this.#child
      if (pid !== undefined) this.#state = { ...this.#state, pid }
      return await exited
    } catch (error) {
      const detail = error instanceof Error ? error.message : 'it could not be started'
      this.#refused = {
        detail,
        hint: 'look at the memory, processes and open files that this host and its service manager leave to the unit',
      }
      return { code: undefined, signal: undefined }
    }
  }

  #hear(message: FromChild): void {
    if (message.type === 'secret') return this.#options.onSecret(message.value, message.shortLived === true)
    if (message.type === 'refuse') return this.#refuse(message)
    this.#failures = 0
    this.#refused = undefined
    this.#wasReady = true
    this.#pause.reset()
    this.#state = { ...this.#state, state: 'ready', since: wallTime() }
    this.#ready.resolve()
    if (!this.#toldMeanwhile) return
    this.#toldMeanwhile = false
    this.hangUp()
  }

  /** At its first start it ends the unit. Later what it met may pass: it is a start that failed. */
  #refuse({ exit, detail, hint }: Extract<FromChild, { type: 'refuse' }>): void {
    if (this.#wasReady) this.#refused = { detail, hint }
    else this.#giveUp(new Refusal(exit, { detail, hint }))
  }

  #giveUp(refusal: Refusal): void {
    this.#ending.abort()
    this.#ready.reject(refusal)
    this.#failed.reject(refusal)
  }
}
