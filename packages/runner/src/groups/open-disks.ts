// Mounts the disk of every group that has one, so that a backup reads files and not images.
import { readdir } from 'node:fs/promises'
import { AgentGroupID } from '@gatehouse/contracts'
import * as v from 'valibot'
import type { Context } from '../sessions/context.ts'
import { disksOf } from './elsewhere.ts'
import { withDisk } from './with-disk.ts'

const groupsWithDisk = async (groups: string): Promise<AgentGroupID[]> => {
  const names = await readdir(disksOf(groups)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  return names.flatMap((name) => {
    const id = v.safeParse(AgentGroupID, /^(.+)\.(?:img|disk)$/.exec(name)?.[1])
    return id.success ? [id.output] : []
  })
}

/** Gives those whose disk cannot be mounted here. */
export const openDisks = async (context: Context): Promise<AgentGroupID[]> => {
  const closed: AgentGroupID[] = []
  for (const group of await groupsWithDisk(context.disks.groups)) {
    await withDisk(context, group, () => Promise.resolve()).catch((error: unknown) => {
      context.log.warn('the disk of a group cannot be mounted for a backup', { agentGroupID: group, error })
      closed.push(group)
    })
  }
  return closed
}
