// Mounts the disk of a group and explains why it cannot be mounted.
import { randomUUID } from 'node:crypto'
import { access, readdir } from 'node:fs/promises'
import { type AgentGroup, type AgentGroupID, limits, ServiceError } from '@gatehouse/contracts'
import {
  DiskRefused,
  type Disks,
  disksFolder,
  openDisk,
  type Opened,
  openPremade,
  referenceOf,
  resumeDisk,
  resumePremade,
} from '@gatehouse/engine'
import { abortable, ifPresent } from '@gatehouse/kernel'
import { LaunchRefused } from '../errors.ts'

/** Refuses a group whose files lie where this unit cannot reach them: what lies below its point is not what the group has. */
export const disksOf = (groups: string): string => `${groups}/${disksFolder}`
const imageOf = (groups: string, group: AgentGroupID): string => `${disksOf(groups)}/${group}.img`

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )

/** Its files lie on one that was made beforehand. */
export const hasPreallocated = (groups: string, group: AgentGroupID): Promise<boolean> => isThere(referenceOf(groups, group))

/** Its files lie on one, of whoever made it. */
export const hasDisk = async (groups: string, group: AgentGroupID): Promise<boolean> =>
  (await isThere(imageOf(groups, group))) || hasPreallocated(groups, group)

const unmounted = (group: AgentGroupID, refused: string | undefined): ServiceError =>
  new ServiceError('unavailable', {
    detail: `the files of ${group} are on its disk, which ${refused === undefined ? 'is mounted only where sandboxes can be launched' : `cannot be mounted: ${refused}`}`,
    hint: refused === undefined ? 'svcctl status shows why none can' : 'fix that, and restart the unit',
  })

const ofRoot = (group: AgentGroupID): ServiceError =>
  new ServiceError('unavailable', {
    detail: `the files of ${group} are in an image, and with --group-disks none is mounted`,
    hint: 'start the unit as root without --group-disks, take a backup, and restore it for the unit with them',
  })

const premade = (group: AgentGroupID): ServiceError =>
  new ServiceError('unavailable', {
    detail: `the files of ${group} are on a disk that gatehouse setup made, and this unit was told of none`,
    hint: 'start the unit with --group-disks as before',
  })

/** `disks`: undefined where nothing is launched. */
export const refuseOtherDisks = async (groups: string, group: AgentGroupID, disks: Disks | undefined): Promise<void> => {
  const [image, reference] = [await isThere(imageOf(groups, group)), await hasPreallocated(groups, group)]
  if (disks !== undefined && 'programs' in disks) {
    if (reference) throw premade(group)
  } else if (disks !== undefined && 'premade' in disks) {
    if (image && !reference) throw ofRoot(group)
  } else if (image || reference) throw unmounted(group, disks?.refused)
}

export type Mounting = Exclude<Disks, { refused: unknown }>

type MountEntry = Opened & Pick<Awaited<ReturnType<typeof openPremade>>, 'emptied'>

export interface Wanted {
  readonly groups: string
  readonly group: AgentGroup
  /** Nobody uses the files of this group. */
  readonly quiet: boolean
}

type Lent = Omit<Wanted, 'group'> & { readonly group: AgentGroupID }

const toUnavailable = (error: unknown): unknown =>
  error instanceof DiskRefused
    ? new ServiceError('unavailable', {
        detail: error.message,
        hint: 'fix that on the host; the unit retries automatically',
        cause: error,
      })
    : error

const toRefusal = (error: unknown, MiB: number): unknown => {
  if (error instanceof DiskRefused) return error.scarce ? new LaunchRefused(error.message) : toUnavailable(error)
  const reason = error instanceof Error ? error.message : 'unknown error'
  if (!reason.includes('No space left')) return new Error(`the disk of its group cannot be opened: ${reason}`, { cause: error })
  return new LaunchRefused(`the files of its group do not fit ${MiB} MiB: ask for a larger workspaceMiB, or free the disk of the host`)
}

/** `LaunchRefused` where there is no disk for it, or its files do not fit; `unavailable` where its disk has to be mended. */
export const mount = async (disks: Mounting, { groups, group, quiet }: Wanted): Promise<MountEntry> => {
  const MiB = group.limits.workspaceMiB ?? limits.sandboxWorkspaceMiB
  try {
    if ('premade' in disks) return await openPremade(disks.premade, { groups, group: group.id, MiB }, { quiet })
    return await openDisk(disks.programs, { image: imageOf(groups, group.id), point: `${groups}/${group.id}`, MiB }, { quiet })
  } catch (error) {
    throw toRefusal(error, MiB)
  }
}

/** As it is; where the group has none nothing is made. */
export const resume = async (disks: Mounting, { groups, group, quiet }: Lent): Promise<void> => {
  try {
    if ('premade' in disks) await resumePremade(disks.premade, { groups, group }, { quiet })
    else await resumeDisk(disks.programs, { image: imageOf(groups, group), point: `${groups}/${group}` })
  } catch (error) {
    throw toUnavailable(error)
  }
}

/** A piece may be read so long, and wait so long for whoever takes it. */
const silence = 3 * limits.backupIdle

interface Running {
  readonly id: string
  readonly ended: PromiseWithResolvers<void>
  readonly late: NodeJS.Timeout
}

export class Reading {
  readonly #most: number
  #running: Running | undefined

  /** Milliseconds without a message after which a backup counts as ended. */
  constructor(most: number = silence) {
    this.#most = most
  }

  get isOn(): boolean {
    return this.#running !== undefined
  }

  /** One at a time: an earlier one is told with its next word that it has ended. */
  begin(): string {
    this.#end()
    const id = randomUUID()
    const late = setTimeout(() => this.#end(), this.#most).unref()
    this.#running = { id, ended: Promise.withResolvers(), late }
    return id
  }

  /** It goes on. False where it had ended, so that groups may have moved since. */
  keep(id: string): boolean {
    if (this.#running?.id !== id) return false
    this.#running.late.refresh()
    return true
  }

  end(id: string): void {
    if (this.#running?.id === id) this.#end()
  }

  /** Resolves when nobody reads. */
  async over(signal: AbortSignal): Promise<void> {
    while (this.#running !== undefined) await abortable(this.#running.ended.promise, signal)
  }

  #end(): void {
    const running = this.#running
    this.#running = undefined
    clearTimeout(running?.late)
    running?.ended.resolve()
  }
}

/** A group that gets its first disk takes what it has along. */
export const refuseFirst = async (groups: string, group: AgentGroupID): Promise<void> => {
  if (await hasDisk(groups, group)) return
  const names = (await ifPresent(readdir(`${groups}/${group}`))) ?? []
  if (names.length === 0) return
  throw new ServiceError('unavailable', {
    detail: `a backup reads the files of ${group}, which go over to its first disk`,
    hint: 'the unit retries automatically until the backup has ended',
  })
}
