// Disks that could not be had at the start, because a trial failed: it is made again for groups whose files lie on one already.
import type { Disks } from '@gatehouse/engine'

type Again = () => Promise<Disks>

const failed = (error: unknown): Disks => ({ refused: error instanceof Error ? error.message : 'unknown error' })

export class LateDisks {
  #trial: Promise<Disks> | undefined

  /** As they are now. `hasDisk`: the group has its files on a disk, and nowhere else; others begin without one, and stay so. */
  async of<D extends Disks | undefined>(disks: D, hasDisk: () => Promise<boolean>): Promise<D | Disks> {
    if (disks === undefined || !('refused' in disks) || disks.again === undefined) return disks
    return (await hasDisk()) ? this.#try(disks.again) : disks
  }

  /** One trial at a time, since it begins with nothing mounted; none once one has gone well. */
  async #try(again: Again): Promise<Disks> {
    const trial = (this.#trial ??= again())
    const disks = await trial.catch(failed)
    if ('refused' in disks && this.#trial === trial) this.#trial = undefined
    return disks
  }
}
