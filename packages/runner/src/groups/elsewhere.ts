// Refuses a group whose files lie where this unit cannot reach them: what lies below its point is not what the group has.
import { access } from 'node:fs/promises'
import { type AgentGroupID, ServiceError } from '@gatehouse/contracts'
import { type Disks, disksFolder, referenceOf } from '@gatehouse/engine'

export const disksOf = (groups: string): string => `${groups}/${disksFolder}`
export const imageOf = (groups: string, group: AgentGroupID): string => `${disksOf(groups)}/${group}.img`

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )

/** Its files lie on one that was made beforehand. */
export const hasPremade = (groups: string, group: AgentGroupID): Promise<boolean> => isThere(referenceOf(groups, group))

/** Its files lie on one, of whoever made it. */
export const hasDisk = async (groups: string, group: AgentGroupID): Promise<boolean> =>
  (await isThere(imageOf(groups, group))) || hasPremade(groups, group)

const unmounted = (group: AgentGroupID, refused: string | undefined): ServiceError =>
  new ServiceError('unavailable', {
    detail: `the files of ${group} are on its disk, which ${refused === undefined ? 'is mounted only where sandboxes can be launched' : `cannot be mounted: ${refused}`}`,
    hint: refused === undefined ? 'svcctl status says why none can' : 'mend that, and restart the unit',
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
export const refuseElsewhere = async (groups: string, group: AgentGroupID, disks: Disks | undefined): Promise<void> => {
  const [image, reference] = [await isThere(imageOf(groups, group)), await hasPremade(groups, group)]
  if (disks !== undefined && 'programs' in disks) {
    if (reference) throw premade(group)
  } else if (disks !== undefined && 'premade' in disks) {
    if (image && !reference) throw ofRoot(group)
  } else if (image || reference) throw unmounted(group, disks?.refused)
}
