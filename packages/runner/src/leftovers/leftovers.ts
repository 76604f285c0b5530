// Removes what units left that were killed: what carries the id of this unit, of units that held its runtime directory before, and of
// ended units of the same installation. Never what a running unit owns.
import { readdir, realpath, rm, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { RunnerBoot } from '@gatehouse/contracts'
import { closeStrays } from '@gatehouse/engine'
import { inTurn, type Logger, mountsBelow, unitLockName } from '@gatehouse/kernel'
import { type EndedUnit, forEachEndedUnit } from './ended-units.ts'

/** Each is removed by an engine of its own, which may be chosen at another time. */
export type Kind = 'sandboxes' | 'tool-containers'

/** Gives how many there were. */
export type RemoveOf = (unitId: string) => Promise<number>

export interface Leftovers {
  /** Called before the first of that kind is started. Gives how many were removed. */
  remove(kind: Kind, removeOf: RemoveOf): Promise<number>
}

type Boot = Pick<RunnerBoot, 'installation' | 'unitId' | 'formerUnitIds' | 'runDir' | 'halves' | 'sandbox' | 'toolContainers'>

const kindsOf = ({ sandbox, toolContainers }: Boot): Kind[] => [
  ...(sandbox === 'off' ? [] : (['sandboxes'] as const)),
  ...(toolContainers === null ? [] : (['tool-containers'] as const)),
]

/** Its record goes with it. Directories of the host may be mounted there, and what is in them is never removed. */
const removeDirectory = async ({ runDir }: EndedUnit, log: Logger): Promise<void> => {
  const real = await realpath(runDir)
  await closeStrays(real)
  const mounted = await mountsBelow(real)
  if (mounted.length > 0)
    return log.warn('the runtime directory of a unit that has ended cannot be removed: something is mounted there', { runDir, mounted })
  // The lock file goes last, so that nobody holds the lock of a directory that is being removed.
  for (const name of await readdir(real)) if (name !== unitLockName) await rm(join(real, name), { recursive: true, force: true })
  await rm(join(real, unitLockName))
  await rmdir(real)
}

class UnitLeftovers implements Leftovers {
  readonly #boot: Boot
  readonly #log: Logger
  /** Kinds that are still to be removed, by runtime directory of an ended unit. */
  readonly #pending = new Map<string, Set<Kind>>()
  /** A second attempt of this process at a lock would take it for another unit's. */
  readonly #inTurn = inTurn()

  constructor(boot: Boot, log: Logger) {
    this.#boot = boot
    this.#log = log
  }

  async remove(kind: Kind, removeOf: RemoveOf): Promise<number> {
    const { unitId, formerUnitIds, halves } = this.#boot
    let removed = 0
    for (const id of [unitId, ...formerUnitIds]) removed += await removeOf(id)
    // The runtime directory of a half of a split unit has no others beside it.
    if (halves !== undefined) return removed
    await this.#inTurn(() =>
      forEachEndedUnit({ ...this.#boot, log: this.#log }, async (unit) => {
        removed += await this.#removeOfEnded(unit, kind, removeOf)
      }),
    )
    return removed
  }

  /** What cannot be removed is left to a later start, and keeps this unit from nothing. */
  async #removeOfEnded(unit: EndedUnit, kind: Kind, removeOf: RemoveOf): Promise<number> {
    let removed = 0
    try {
      for (const id of unit.unitIds) removed += await removeOf(id)
      await this.#settle(unit, kind)
    } catch (error) {
      this.#log.warn('what a unit left that has ended could not be removed', { runDir: unit.runDir, error })
    }
    return removed
  }

  async #settle(unit: EndedUnit, kind: Kind): Promise<void> {
    const pending = this.#pending.get(unit.runDir) ?? new Set(kindsOf(this.#boot))
    this.#pending.set(unit.runDir, pending)
    pending.delete(kind)
    if (pending.size > 0) return
    await removeDirectory(unit, this.#log)
    this.#pending.delete(unit.runDir)
  }
}

export const createLeftovers = (boot: Boot, log: Logger): Leftovers => new UnitLeftovers(boot, log)
