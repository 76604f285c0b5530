// What is set up, in this order; taken away in the other.
import type { Step } from '../step.ts'
import { hostIds } from './host-ids.ts'
import { loopDevices } from './loop-devices.ts'
import { programs } from './programs.ts'
import { stateDirectory } from './state-directory.ts'

export const steps: readonly Step[] = [programs, loopDevices, hostIds, stateDirectory]
