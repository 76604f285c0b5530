// Kills what carries the work of a unit, again and again: its processes and parts of its sandboxes, each process once its place was taken again.
import { setTimeout as pause } from 'node:timers/promises'
import { descendants, endNow } from './descendants.ts'
import type { Unit } from './unit.ts'
import { waitFor } from './wait-for.ts'

export interface KillerOptions {
  readonly unit: Unit
  readonly random: () => number
  readonly victims: readonly string[]
  /** Milliseconds that a process may take to come back. */
  readonly patience: number
}

export class Killer {
  readonly #options: KillerOptions
  /** No process is killed twice before it is ready: five such ends in a row are the end of the unit, as they should be. */
  readonly #down = new Set<string>()
  readonly killed = new Map<string, number>()
  /** Milliseconds from each kill until its process was ready again. */
  readonly recoveries: number[] = []

  constructor(options: KillerOptions) {
    this.#options = options
  }

  get count(): number {
    return [...this.killed.values()].reduce((sum, times) => sum + times, 0)
  }

  /** Below it nineteen of twenty recoveries stayed. */
  get p95(): number {
    return this.recoveries.toSorted((a, b) => a - b)[Math.floor(this.recoveries.length * 0.95)] ?? 0
  }

  /** Until there were so many, or the time is over; `together`: so many at once. */
  async killUntil({ most, until, together }: { most: number; until: number; together: number }): Promise<void> {
    const killer = async (): Promise<void> => {
      while (this.count < most && Date.now() < until) {
        await this.#killOne()
        await this.wake()
      }
    }
    await Promise.all(Array.from({ length: together }, killer))
  }

  /** Five deaths of a sandbox within ten minutes park its session, as they should: a person wakes it. */
  async wake(): Promise<void> {
    const { client } = this.#options.unit
    const { items } = await client.sessions.list().catch(() => ({ items: [] }))
    for (const { id, state } of items) if (state === 'parked') await client.sessions.resume(id).catch(() => undefined)
  }

  #pick<T>(items: readonly T[]): T | undefined {
    return items[Math.floor(this.#options.random() * items.length)]
  }

  async #killOne(): Promise<void> {
    const victim = this.#pick(this.#options.victims.filter((name) => !this.#down.has(name)))
    if (victim === undefined) return pause(25)
    const killed = victim === 'sandbox' ? await this.#killPart() : await this.#killProcess(victim)
    if (killed) this.killed.set(victim, (this.killed.get(victim) ?? 0) + 1)
  }

  async #killPart(): Promise<boolean> {
    const runner = await this.#options.unit.pidOf('runner').catch(() => undefined)
    const part = runner === undefined ? undefined : this.#pick(await descendants(runner))
    if (part === undefined) await pause(25)
    else endNow(part)
    return part !== undefined
  }

  async #killProcess(victim: string): Promise<boolean> {
    const { unit, patience } = this.#options
    this.#down.add(victim)
    try {
      const pid = await unit.pidOf(victim).catch(() => undefined)
      if (pid === undefined) return false
      endNow(pid)
      const since = performance.now()
      await waitFor(`${victim} to be back`, patience, async () => {
        const { processes } = await unit.client.status()
        const found = processes.find(({ name }) => name === victim)
        return found?.state === 'ready' && found.pid !== pid
      })
      this.recoveries.push(performance.now() - since)
      return true
    } finally {
      this.#down.delete(victim)
    }
  }
}
