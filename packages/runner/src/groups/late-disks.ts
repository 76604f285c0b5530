// Disks that could not be had at the start, because a trial failed: it is made again for groups whose files lie on one already.
import type { Disks } from '@gatehouse/engine'
import { orAborted } from '../or-aborted.ts'

type Again = () => Promise<Disks>

const failed = (error: unknown): Disks => ({ refused: error instanceof Error ? error.message : 'unknown error' })

export class LateDisks {
  readonly #closing: AbortSignal
  #trial: Promise<Disks> | undefined

  /** `closing`: aborts when the runner stops; nobody waits for a trial then, and none begins. */
  constructor(closing: AbortSignal) {
    this.#closing = closing
  }

  /** As they are now. `hasDisk`: the group has its files on a disk, and nowhere else; others begin without one, and stay so. */
  async of<D extends Disks | undefined>(disks: D, hasDisk: () => Promise<boolean>): Promise<D | Disks> {
    if (disks === undefined || !('refused' in disks) || disks.again === undefined) return disks
    return (await hasDisk()) ? orAborted(this.#try(disks.again), this.#closing) : disks
  }

  /** Resolves when no trial is running: until then one may mount something. */
  async settled(): Promise<void> {
    await this.#trial?.catch(failed)
  }

  /** One trial at a time, since it begins with nothing mounted; none once one has gone well. */
  async #try(again: Again): Promise<Disks> {
    this.#closing.throwIfAborted()
    const trial = (this.#trial ??= again())
    const disks = await trial.catch(failed)
    if ('refused' in disks && this.#trial === trial) this.#trial = undefined
    return disks
  }
}
