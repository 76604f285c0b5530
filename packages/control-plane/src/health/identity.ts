// Which unit this is, for programs on its host that read its files: its installation, and the directory that it holds.
import { stat } from 'node:fs/promises'
import type { ControlPlaneBoot, Principal, UnitIdentity } from '@gatehouse/contracts'
import type { Logger } from '@gatehouse/kernel'

export interface IdentityDeps {
  readonly boot: Pick<ControlPlaneBoot, 'installation' | 'stateDir'>
  readonly log: Logger
}

/** Undefined for a principal that sees some groups only. */
export const readIdentity = async ({ boot, log }: IdentityDeps, { groups }: Principal): Promise<UnitIdentity | undefined> => {
  if (groups !== undefined) return undefined
  const { installation, stateDir } = boot
  try {
    const { dev, ino } = await stat(stateDir, { bigint: true })
    return { installation, stateDir, device: String(dev), inode: String(ino) }
  } catch (error) {
    log.warn('the state directory cannot be reached', { stateDir, error })
    return undefined
  }
}
