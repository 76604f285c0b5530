// RPC handlers for the supervisor during a backup: queues and groups do not change while files are copied.
import { readdir } from 'node:fs/promises'
import { AgentGroupID, type runnerBackup, ServiceError } from '@gatehouse/contracts'
import { ifPresent } from '@gatehouse/kernel'
import type { Handlers } from '@gatehouse/rpc'
import * as v from 'valibot'
import { disksOf, hasPreallocated } from './groups/mount.ts'
import type { Context } from './state/context.ts'

/** Mounts the disk of every group that has one, so that a backup reads files and not images. */
const groupsWithDisk = async (groups: string): Promise<AgentGroupID[]> => {
  const names = (await ifPresent(readdir(disksOf(groups)))) ?? []
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
    hint: 'fix that (svcctl status shows why no sandbox can be launched), or remove the group; then repeat the backup',
  })
}

/** Those whose disk cannot be mounted here and is an image. */
const openAll = async ({ posture, disks, log, closing }: Context): Promise<AgentGroupID[]> => {
  const found = await posture.disks(closing).catch(() => undefined)
  const closed: AgentGroupID[] = []
  const lacking = new Map<AgentGroupID, unknown>()
  for (const group of await groupsWithDisk(disks.groups)) {
    await disks.show(found, group).catch(async (error: unknown) => {
      log.warn('could not mount the disk of a group for a backup', { agentGroupID: group, error })
      if (await hasPreallocated(disks.groups, group)) lacking.set(group, error)
      else closed.push(group)
    })
  }
  refuseLacking(lacking)
  return closed
}

/** From now on no group moves, until `reading` has ended. `unavailable` where the disk of one was made beforehand and cannot be mounted. */
export const openDisks = async (context: Context): Promise<{ closed: AgentGroupID[]; reading: string }> => {
  const { disks } = context
  const reading = disks.reading.begin()
  try {
    await disks.idle()
    const closed = await openAll(context)
    disks.reading.keep(reading)
    return { closed, reading }
  } catch (error) {
    disks.reading.end(reading)
    throw error
  }
}

export const backupDoor = (context: Context): Handlers<typeof runnerBackup> => {
  const { hold } = context.queuePool
  const { reading } = context.disks
  return {
    touched: () => ({ sessions: hold.takeTouched() }),
    hold: async () => ({ hold: await hold.hold(), sessions: hold.takeTouched() }),
    openDisks: () => openDisks(context),
    keepDisks: (params) => ({ still: reading.keep(params.reading) }),
    leaveDisks: (params) => {
      reading.end(params.reading)
      return {}
    },
    release: (params) => ({ still: hold.release(params.hold) }),
  }
}
