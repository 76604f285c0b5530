// The disks of groups while their sandboxes run: opened in turn for each group, and closed with the runner.
import { access } from 'node:fs/promises'
import { type AgentGroup, type AgentGroupID, limits, ServiceError } from '@gatehouse/contracts'
import { closeStrays, type Disks, openDisk, resumeDisk } from '@gatehouse/engine'
import type { Logger } from '@gatehouse/kernel'
import { orAborted } from '../or-aborted.ts'
import { LaunchRefused } from '../sessions/end.ts'
import type { Run } from '../sessions/run.ts'

export interface GroupDisksOptions {
  readonly groups: string
  readonly log: Logger
}

export const disksOf = (groups: string): string => `${groups}/.disks`
const imageOf = (groups: string, group: AgentGroupID): string => `${disksOf(groups)}/${group}.img`

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )

const unmounted = (group: AgentGroupID, refused: string | undefined): ServiceError =>
  new ServiceError('unavailable', {
    detail: `the files of ${group} are on its disk, which ${refused === undefined ? 'is mounted only where sandboxes can be launched' : `cannot be mounted: ${refused}`}`,
    hint: refused === undefined ? 'svcctl status says why none can' : 'mend that, and restart the unit',
  })

export class GroupDisks {
  /** Directory of all groups, with no link on its way. */
  readonly groups: string
  readonly #log: Logger
  readonly #turns = new Map<AgentGroupID, Promise<unknown>>()
  /** By sandbox. */
  readonly #users = new Map<string, AgentGroupID>()

  constructor({ groups, log }: GroupDisksOptions) {
    this.groups = groups
    this.#log = log
  }

  /** Where it is mounted; undefined where the files of groups lie on the disk of the host. `LaunchRefused` where they do not fit the group's limit. */
  async open(disks: Disks, group: AgentGroup, { id: run, signal }: Pick<Run, 'id' | 'signal'>): Promise<string | undefined> {
    if ('refused' in disks) {
      await this.#refuseImage(group.id, disks)
      return undefined
    }
    const opened = this.#inTurn(group.id, async () => {
      // Whoever gave up waiting uses nothing.
      signal.throwIfAborted()
      const quiet = ![...this.#users.values()].includes(group.id)
      await this.#mount(disks, group, quiet)
      if (!signal.aborted) this.#users.set(run, group.id)
    })
    await orAborted(opened, signal)
    return `${this.groups}/${group.id}`
  }

  /**
   * For whoever only looks at the files of a group or puts one: its disk is there meanwhile, where it has one, and nobody resizes it.
   * `disks` is undefined where nothing is launched; then `unavailable` for a group whose files are in an image.
   */
  async lend<T>(disks: Disks | undefined, group: AgentGroupID, act: () => Promise<T>): Promise<T> {
    return this.#inTurn(group, async () => {
      const [image, point] = [imageOf(this.groups, group), `${this.groups}/${group}`]
      if (disks !== undefined && 'programs' in disks) await resumeDisk(disks.programs, { image, point })
      else await this.#refuseImage(group, disks)
      return act()
    })
  }

  release(run: string): void {
    this.#users.delete(run)
  }

  /** `act` runs while the disk is closed. Not done, and false, while a sandbox of the group runs. */
  async whileClosed(group: AgentGroupID, act: () => Promise<void>): Promise<boolean> {
    return this.#inTurn(group, async () => {
      if ([...this.#users.values()].includes(group)) return false
      await closeStrays(`${this.groups}/${group}`)
      await act()
      return true
    })
  }

  /** What lies below its point is not what the group has: it is neither shown nor written to. */
  async #refuseImage(group: AgentGroupID, disks: { readonly refused: string } | undefined): Promise<void> {
    if (await isThere(imageOf(this.groups, group))) throw unmounted(group, disks?.refused)
  }

  async #mount({ programs }: Extract<Disks, { programs: unknown }>, group: AgentGroup, quiet: boolean): Promise<void> {
    const log = this.#log
    const MiB = group.limits.workspaceMiB ?? limits.sandboxWorkspaceMiB
    const disk = { image: imageOf(this.groups, group.id), point: `${this.groups}/${group.id}`, MiB }
    try {
      const { setAside, postponed } = await openDisk(programs, disk, { quiet })
      if (setAside !== undefined) log.warn('files below the disk of a group set aside', { agentGroupID: group.id, at: setAside })
      if (postponed !== undefined) log.warn('the disk of a group keeps its size for now', { agentGroupID: group.id, reason: postponed })
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'unknown error'
      if (!reason.includes('No space left')) throw new Error(`the disk of its group cannot be opened: ${reason}`, { cause: error })
      throw new LaunchRefused(`the files of its group do not fit ${MiB} MiB: ask for a larger workspaceMiB, or free the disk of the host`)
    }
  }

  async #inTurn<T>(group: AgentGroupID, act: () => Promise<T>): Promise<T> {
    const turn = (this.#turns.get(group) ?? Promise.resolve()).then(act, act)
    this.#turns.set(group, turn)
    try {
      return await turn
    } finally {
      if (this.#turns.get(group) === turn) this.#turns.delete(group)
    }
  }
}
