// The disk on which it is tried whether groups can have one: as small as the smallest that a group may have.
import { workspaceBounds } from '@gatehouse/contracts'

export const trialMiB = workspaceBounds.least
/** Below the directory of groups: no group can have such a name. */
export const trialName = '.trial'
