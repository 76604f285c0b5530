// Mounts the disk of a group, by whatever gives disks to groups here, and says in words why it cannot.
import { type AgentGroup, type AgentGroupID, limits, ServiceError } from '@gatehouse/contracts'
import { DiskRefused, type Disks, openDisk, type Opened, openPremade, resumeDisk, resumePremade } from '@gatehouse/engine'
import { LaunchRefused } from '../sessions/end.ts'
import { imageOf } from './elsewhere.ts'

export type Mounting = Exclude<Disks, { refused: unknown }>

type Mounted = Opened & Pick<Awaited<ReturnType<typeof openPremade>>, 'emptied'>

export interface Wanted {
  readonly groups: string
  readonly group: AgentGroup
  /** Nobody uses the files of this group. */
  readonly quiet: boolean
}

export type Lent = Omit<Wanted, 'group'> & { readonly group: AgentGroupID }

const toUnavailable = (error: unknown): unknown =>
  error instanceof DiskRefused
    ? new ServiceError('unavailable', {
        detail: error.message,
        hint: 'mend that on the host; the unit tries again by itself',
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
export const mount = async (disks: Mounting, { groups, group, quiet }: Wanted): Promise<Mounted> => {
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
