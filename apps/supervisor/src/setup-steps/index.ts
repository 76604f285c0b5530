// What is set up, in this order; taken away in the other.
import { controlGroups } from './control-groups.ts'
import { groupDisks } from './group-disks.ts'
import { hostIds } from './host-ids.ts'
import { loopDevices, programs, stateDirectory } from './host.ts'
import type { Step } from './step.ts'
import { userNamespace } from './user-namespace.ts'

export const steps: readonly Step[] = [programs, loopDevices, hostIds, userNamespace, controlGroups, stateDirectory, groupDisks]
