// Removes what killed units left: everything with the id of this unit, of units that used its runtime directory before, and of
// ended units of the same installation. Never what a running unit owns. It is looked for in every engine that the unit has used: its
// driver may be another one from one start to the next.
import { readdir, realpath, rm, rmdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { ContainerEngine, RunnerBoot } from '@gatehouse/contracts'
import { closeOrphans, type LeftoverKind, leftoverKinds, removeUnitContainers, removeUnitGroups } from '@gatehouse/engine'
import {
  createSerialQueue,
  type Lock,
  lockUnit,
  type Logger,
  readMountsBelow,
  readUnitRecord,
  unitLockName,
  type UnitRecord,
  writeUnitRecord,
} from '@gatehouse/kernel'

interface EndedUnit extends Pick<UnitRecord, 'unitIds' | 'engines'> {
  readonly runDir: string
}

interface Place {
  readonly installation: string
  readonly stateDir: string
  readonly runDir: string
  readonly log: Logger
}

const describe = (runDir: string, { stateDir }: UnitRecord) => ({ runDir, stateDir })

/** Undefined where the unit runs, or where nobody can tell. */
const lockOf = async (runDir: string, record: UnitRecord, log: Logger): Promise<Lock | undefined> => {
  try {
    const lock = await lockUnit(runDir, { create: false })
    if (lock === undefined)
      log.info('another unit with the same installation id is running; leaving its files in place', describe(runDir, record))
    return lock
  } catch (error) {
    log.warn('cannot tell whether a unit with the same installation id is running; leaving its files in place', {
      ...describe(runDir, record),
      error,
    })
    return undefined
  }
}

/** Its own start meanwhile is told who holds the lock. */
const clean = async (runDir: string, { stateDir }: Place, act: (unit: EndedUnit) => Promise<void>): Promise<void> => {
  // What was read before the lock was held may have changed.
  const record = await readUnitRecord(runDir)
  if (record === undefined) return
  await writeUnitRecord(runDir, { ...record, cleaner: stateDir })
  await act({ runDir, unitIds: record.unitIds, engines: record.engines })
}

/** Calls `act` for each of them, one after the other. None of them starts in the meantime. */
const forEachEndedUnit = async (place: Place, act: (unit: EndedUnit) => Promise<void>): Promise<void> => {
  const { installation, runDir, log } = place
  const base = dirname(runDir)
  for (const name of await readdir(base).catch(() => [])) {
    const path = join(base, name)
    if (path === runDir) continue
    const record = await readUnitRecord(path)
    if (record?.installation !== installation || record.isHalf) continue
    const lock = await lockOf(path, record, log)
    try {
      if (lock !== undefined) await clean(path, place, act)
    } finally {
      await lock?.release()
    }
  }
}

interface UsedEngines {
  /** Before the first container is made by it. */
  add(engine: ContainerEngine): Promise<void>
  /** Those of earlier starts among them. */
  list(): Promise<readonly ContainerEngine[]>
}

const createUsedEngines = (runDir: string): UsedEngines => {
  const turns = createSerialQueue()
  return {
    add: (engine) =>
      turns(async () => {
        const record = await readUnitRecord(runDir)
        if (record === undefined || record.engines.includes(engine)) return
        await writeUnitRecord(runDir, { ...record, engines: [...record.engines, engine] })
      }),
    list: async () => (await readUnitRecord(runDir))?.engines ?? [],
  }
}

export interface Leftovers {
  readonly engines: UsedEngines
  /** Units whose leftovers are this unit's to remove: itself, and those that held its runtime directory before. */
  readonly unitIds: readonly string[]
  /** Waited for before anything is started. Runs once, and never rejects: what cannot be removed keeps this unit from nothing. */
  remove(): Promise<void>
  /** For the end, until nothing of this unit is found any more. False when `signal` aborts before, or where nobody can tell. */
  clear(removeOwn: () => Promise<number>, signal: AbortSignal): Promise<boolean>
}

/** What is on the host, whoever made it. Each gives how many it removed. */
export interface HostTraces {
  removeGroups(unitId: string): Promise<number>
  removeContainers(engine: ContainerEngine, unitId: string, kind: LeftoverKind): Promise<number>
}

const host: HostTraces = { removeGroups: removeUnitGroups, removeContainers: removeUnitContainers }

type Boot = Pick<RunnerBoot, 'installation' | 'unitId' | 'formerUnitIds' | 'stateDir' | 'runDir' | 'halves'>

/** Times that a unit is looked through. What is still found then does not end. */
const maxLooks = 5

/** Its record goes with it. Directories of the host may be mounted there, and what is in them is never removed. */
const removeDirectory = async ({ runDir }: EndedUnit): Promise<void> => {
  const real = await realpath(runDir)
  await closeOrphans(real)
  const mounted = await readMountsBelow(real)
  if (mounted.length > 0) throw new Error(`something is mounted in ${runDir} (${mounted.join(', ')})`)
  // The lock file goes last, so that nobody holds the lock of a directory that is being removed.
  for (const name of await readdir(real)) if (name !== unitLockName) await rm(join(real, name), { recursive: true, force: true })
  await rm(join(real, unitLockName))
  await rmdir(real)
}

class UnitLeftovers implements Leftovers {
  readonly engines: UsedEngines
  readonly unitIds: readonly string[]
  readonly #boot: Boot
  readonly #log: Logger
  readonly #host: HostTraces
  #removal: Promise<void> | undefined

  constructor(boot: Boot, log: Logger, traces: HostTraces) {
    this.#boot = boot
    this.#log = log
    this.#host = traces
    this.engines = createUsedEngines(boot.runDir)
    this.unitIds = [boot.unitId, ...boot.formerUnitIds]
  }

  remove(): Promise<void> {
    this.#removal ??= this.#removeAll().catch((error: unknown) => this.#log.warn('could not remove leftovers of earlier starts', { error }))
    return this.#removal
  }

  async clear(removeOwn: () => Promise<number>, signal: AbortSignal): Promise<boolean> {
    try {
      for (let look = 1; look <= maxLooks && !signal.aborted; look += 1) {
        const own = await removeOwn()
        if (own + (await this.#removeOf([this.#boot.unitId], await this.engines.list())) === 0) return true
      }
    } catch (error) {
      this.#log.warn('could not remove leftovers of this unit, the next start retries', { error })
    }
    return false
  }

  async #removeAll(): Promise<void> {
    await this.#removeOwn()
    // A half of a split unit removes nothing but its own.
    if (this.#boot.halves !== undefined) return
    await forEachEndedUnit({ ...this.#boot, log: this.#log }, (unit) => this.#removeEnded(unit))
  }

  /** One engine that does not answer keeps the others from nothing. */
  async #removeOwn(): Promise<void> {
    const { unitIds } = this
    let removed = await this.#removeOf(unitIds, [])
    for (const engine of await this.engines.list())
      removed += await this.#removeOf(unitIds, [engine]).catch((error: unknown) => {
        this.#log.warn('could not list leftovers of this unit in a container engine', { engine, error })
        return 0
      })
    if (removed > 0) this.#log.info('what earlier starts of this unit left was removed', { removed })
  }

  async #removeOf(unitIds: readonly string[], engines: readonly ContainerEngine[]): Promise<number> {
    let removed = 0
    for (const id of unitIds) {
      removed += await this.#host.removeGroups(id)
      for (const engine of engines) for (const kind of leftoverKinds) removed += await this.#host.removeContainers(engine, id, kind)
    }
    return removed
  }

  /** What cannot be removed is left to a later start, with the record by which it is found. */
  async #removeEnded(unit: EndedUnit): Promise<void> {
    const { unitIds, engines, runDir } = unit
    try {
      for (let look = 1; look <= maxLooks; look += 1)
        if ((await this.#removeOf(unitIds, engines)) === 0) {
          await removeDirectory(unit)
          return this.#log.info('removed leftovers of an ended unit', { runDir })
        }
      this.#log.warn('leftovers of an ended unit keep reappearing', { runDir })
    } catch (error) {
      this.#log.warn('could not remove leftovers of an ended unit', { runDir, error })
    }
  }
}

export const createLeftovers = (boot: Boot, log: Logger, traces: HostTraces = host): Leftovers => new UnitLeftovers(boot, log, traces)
