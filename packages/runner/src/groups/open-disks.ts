// Mounts the disk of every group that has one, so that a backup reads files and not images.
import { readdir } from 'node:fs/promises'
import { AgentGroupID, ServiceError } from '@gatehouse/contracts'
import * as v from 'valibot'
import type { Context } from '../sessions/context.ts'
import { disksOf, hasPremade } from './elsewhere.ts'
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

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : 'unknown error')

/** An archive takes an image instead of the files in it; of a disk that was made beforehand it could take nothing. */
const refuseLacking = (lacking: ReadonlyMap<AgentGroupID, unknown>): void => {
  const [reason] = [...lacking.values()].map(reasonOf)
  if (reason === undefined) return
  throw new ServiceError('unavailable', {
    detail: `the backup would have no file of ${[...lacking.keys()].join(', ')}: ${reason}`,
    hint: 'mend that (svcctl status says why no sandbox can be launched), or remove the group; then take the backup again',
  })
}

/** Gives those whose disk cannot be mounted here and is an image. `unavailable` where one is a disk that was made beforehand. */
export const openDisks = async (context: Context): Promise<AgentGroupID[]> => {
  const { groups } = context.disks
  const closed: AgentGroupID[] = []
  const lacking = new Map<AgentGroupID, unknown>()
  for (const group of await groupsWithDisk(groups)) {
    await withDisk(context, group, () => Promise.resolve()).catch(async (error: unknown) => {
      context.log.warn('the disk of a group cannot be mounted for a backup', { agentGroupID: group, error })
      if (await hasPremade(groups, group)) lacking.set(group, error)
      else closed.push(group)
    })
  }
  refuseLacking(lacking)
  return closed
}
