// Files of a group for people: its disk is mounted while they are looked at.
import type { AgentGroupID } from '@gatehouse/contracts'
import type { Context } from '../sessions/context.ts'

export const withDisk = async <T>(context: Context, group: AgentGroupID, act: () => Promise<T>): Promise<T> => {
  const disks = await context.posture.disks(context.closing).catch(() => undefined)
  return context.disks.lend(disks, group, act)
}
