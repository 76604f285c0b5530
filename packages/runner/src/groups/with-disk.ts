// Files of a group for people: its disk is mounted while they are looked at.
import type { AgentGroupID } from '@gatehouse/contracts'
import type { Context } from '../sessions/context.ts'

export const withDisk = async <T>(context: Context, group: AgentGroupID, act: () => Promise<T>): Promise<T> => {
  const engaged = await context.posture.engaged(context.closing).catch(() => undefined)
  return context.disks.lend(engaged?.disks, group, act)
}
