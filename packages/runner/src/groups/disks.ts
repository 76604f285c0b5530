// Disks of groups while their sandboxes run: opened one at a time per group, closed with the runner, and retried after a failed
// trial.
import { type AgentGroup, type AgentGroupID, limits } from '@gatehouse/contracts'
import { closeOrphans, type Disks } from '@gatehouse/engine'
import { abortable, endsWithin, type Logger } from '@gatehouse/kernel'
import type { Run } from '../session/run.ts'
import { hasDisk, mount, type Mounting, Reading, refuseFirst, refuseOtherDisks, resume, type Wanted } from './mount.ts'

/** Disks that could not be had at the start, because a trial failed: it is made again for groups whose files lie on one already. */
type Again = () => Promise<Disks>

const failed = (error: unknown): Disks => ({ refused: error instanceof Error ? error.message : 'unknown error' })

export class DiskRetries {
  readonly #closing: AbortSignal
  #trial: Promise<Disks> | undefined

  /** `closing`: aborts when the runner stops; nobody waits for a trial then, and none begins. */
  constructor(closing: AbortSignal) {
    this.#closing = closing
  }

  /** As they are now. `hasDisk`: the group has its files on a disk, and nowhere else; others begin without one, and stay so. */
  async of<D extends Disks | undefined>(disks: D, hasDisk: () => Promise<boolean>): Promise<D | Disks> {
    if (disks === undefined || !('refused' in disks) || disks.again === undefined) return disks
    return (await hasDisk()) ? abortable(this.#try(disks.again), this.#closing) : disks
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

export interface GroupDisksOptions {
  readonly groups: string
  readonly log: Logger
  /** Aborts when the runner stops. */
  readonly closing: AbortSignal
}

export class GroupDisks {
  /** Directory of all groups, without symbolic links in its path. */
  readonly groups: string
  /** Of a backup. */
  readonly reading = new Reading()
  readonly #log: Logger
  readonly #closing: AbortSignal
  readonly #turns = new Map<AgentGroupID, Promise<unknown>>()
  /** By sandbox. */
  readonly #users = new Map<string, AgentGroupID>()
  readonly #late: DiskRetries

  constructor({ groups, log, closing }: GroupDisksOptions) {
    this.groups = groups
    this.#log = log
    this.#closing = closing
    this.#late = new DiskRetries(closing)
  }

  /** Where it is mounted; undefined where the files of groups lie on the disk of the host. `LaunchRefused` where they do not fit the group's limit. */
  async open(found: Disks, group: AgentGroup, { id: run, signal }: Pick<Run, 'id' | 'signal'>): Promise<string | undefined> {
    const disks = await abortable(
      this.#late.of(found, () => hasDisk(this.groups, group.id)),
      signal,
    )
    await refuseOtherDisks(this.groups, group.id, disks)
    if ('refused' in disks) return undefined
    const opened = this.#createSerialQueue(group.id, async () => {
      // A cancelled caller does not use the disk.
      signal.throwIfAborted()
      if (this.reading.isOn) await refuseFirst(this.groups, group.id)
      await this.#mount(disks, { groups: this.groups, group, quiet: this.#isQuiet(group.id) })
      if (!signal.aborted) this.#users.set(run, group.id)
    })
    await abortable(opened, signal)
    return `${this.groups}/${group.id}`
  }

  /**
   * For whoever only looks at the files of a group or puts one: its disk is there meanwhile, where it has one, and nobody resizes it.
   * `found` is undefined where nothing is launched; then `unavailable` for a group that has one.
   */
  async lend<T>(found: Disks | undefined, group: AgentGroupID, act: () => Promise<T>): Promise<T> {
    return this.#createSerialQueue(group, async () => {
      await this.#resume(found, group, this.#isQuiet(group))
      return act()
    })
  }

  /** For a backup that has begun, and reads nothing yet. */
  async show(found: Disks | undefined, group: AgentGroupID): Promise<void> {
    return this.#createSerialQueue(group, () => this.#resume(found, group, !this.#isUsed(group)))
  }

  /** Resolves when all disk operations that have begun have ended. */
  async idle(): Promise<void> {
    await Promise.allSettled(this.#turns.values())
  }

  /** The current state, for files that are on a disk. */
  late(found: Disks | undefined): Promise<Disks | undefined> {
    return this.#late.of(found, async () => true)
  }

  /** Unmounts everything. Operations longer than `most` are not awaited: the next start unmounts the rest. */
  async close(most: number = limits.drainTime / 4): Promise<void> {
    const ended = Promise.all([this.#late.settled(), this.idle()])
    await endsWithin(ended, most)
    await closeOrphans(this.groups)
  }

  release(run: string): void {
    this.#users.delete(run)
  }

  /** `act` runs while the disk is closed, and nobody's backup reads. Not done, and false, while a sandbox of the group runs. */
  async whileClosed(group: AgentGroupID, act: () => Promise<void>): Promise<boolean> {
    for (;;) {
      await this.reading.over(this.#closing)
      const done = await this.#createSerialQueue(group, () => this.#closed(group, act))
      if (done !== 'read') return done === 'done'
    }
  }

  async #closed(group: AgentGroupID, act: () => Promise<void>): Promise<'done' | 'used' | 'read'> {
    if (this.#isUsed(group)) return 'used'
    if (this.reading.isOn) return 'read'
    await closeOrphans(`${this.groups}/${group}`)
    await act()
    return 'done'
  }

  /** A sandbox of it runs. */
  #isUsed(group: AgentGroupID): boolean {
    return [...this.#users.values()].includes(group)
  }

  /** Decided while no sandbox of the group runs, no backup reads, and nothing else uses the disk. */
  #isQuiet(group: AgentGroupID): boolean {
    return !this.#isUsed(group) && !this.reading.isOn
  }

  async #resume(found: Disks | undefined, group: AgentGroupID, quiet: boolean): Promise<void> {
    const disks = await this.#late.of(found, () => hasDisk(this.groups, group))
    await refuseOtherDisks(this.groups, group, disks)
    if (disks !== undefined && !('refused' in disks)) await resume(disks, { groups: this.groups, group, quiet })
  }

  async #mount(disks: Mounting, wanted: Wanted): Promise<void> {
    const { setAside, postponed, emptied } = await mount(disks, wanted)
    const agentGroupID = wanted.group.id
    if (setAside !== undefined) this.#log.warn('files below the disk of a group set aside', { agentGroupID, at: setAside })
    if (postponed !== undefined) this.#log.warn('the disk of a group keeps its size for now', { agentGroupID, reason: postponed })
    if (emptied !== undefined)
      this.#log.warn('emptied and reassigned a disk with files of an unknown group', {
        agentGroupID,
        disk: emptied,
      })
  }

  async #createSerialQueue<T>(group: AgentGroupID, act: () => Promise<T>): Promise<T> {
    const turn = (this.#turns.get(group) ?? Promise.resolve()).then(act, act)
    this.#turns.set(group, turn)
    try {
      return await turn
    } finally {
      if (this.#turns.get(group) === turn) this.#turns.delete(group)
    }
  }
}
