// Files of removed groups: moved aside with their disk, kept for a while, then deleted.
import { mkdir, readdir, rename } from 'node:fs/promises'
import { AgentGroupID } from '@gatehouse/contracts'
import { type Disks, releaseDisk, removedFolder, removeTree } from '@gatehouse/engine'
import { createClock, ifPresent, KeyedQueue, retentionMs, wallMs } from '@gatehouse/kernel'
import * as v from 'valibot'
import { disksOf } from './groups/mount.ts'
import type { Context } from './state/context.ts'

const removedOf = (groups: string): string => `${groups}/${removedFolder}`

const namesIn = async (directory: string): Promise<string[]> => (await ifPresent(readdir(directory))) ?? []

/** The part before the first dot: no id of a group has one. */
const groupOf = (name: string): string => name.split('.', 1)[0] ?? ''

/** Groups with a directory or a disk. */
const groupsOnDisk = async (groups: string): Promise<AgentGroupID[]> => {
  const names = [...(await namesIn(groups)), ...(await namesIn(disksOf(groups)))].map(groupOf)
  return [...new Set(names)].flatMap((name) => {
    const parsed = v.safeParse(AgentGroupID, name)
    return parsed.success ? [parsed.output] : []
  })
}

/** A group that goes while the machine's clock is behind must not look old once that is right again. */
const clock = createClock(wallMs)

/** Its name says when the group went: the time of a directory says something else. */
const setAside = async (groups: string, group: AgentGroupID): Promise<void> => {
  const place = `${removedOf(groups)}/${group}.${clock()}`
  await mkdir(place, { recursive: true, mode: 0o700 })
  for (const name of await namesIn(disksOf(groups))) {
    if (groupOf(name) === group) await rename(`${disksOf(groups)}/${name}`, `${place}/${name}`)
  }
  await rename(`${groups}/${group}`, `${place}/files`).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
  })
}

/** Its disk is emptied before anybody else gets it; where that cannot be done now, all stays. */
const removePlace = async (place: string, look: () => Promise<Disks | undefined>): Promise<void> => {
  for (const name of await namesIn(place)) {
    if (!name.endsWith('.disk')) continue
    const disks = await look()
    if (disks === undefined || !('premade' in disks)) throw new Error(`${name}: it is on a disk that this unit does not have now`)
    await releaseDisk(disks.premade, `${place}/${name}`)
  }
  await removeTree(place)
}

const removeOld = async ({ disks, times, log, posture, closing }: Context): Promise<void> => {
  const { groups } = disks
  const found = await posture.disks(closing).catch(() => undefined)
  for (const name of await namesIn(removedOf(groups))) {
    const [group, since = ''] = name.split('.')
    await disks.reading.over(closing)
    if (!/^\d+$/.test(since) || Number(since) > retentionMs() - times.removed) continue
    // A failure does not affect the others.
    await removePlace(`${removedOf(groups)}/${name}`, () => disks.late(found)).then(
      () => log.info('removed the files of a removed group', { agentGroupID: group }),
      (error: unknown) =>
        log.warn('could not remove the files of a removed group', { agentGroupID: group, at: `groups/${removedFolder}/${name}`, error }),
    )
  }
}

const sweepOnce = async (context: Context): Promise<void> => {
  const { disks, gateway, log, posture } = context
  // It is at least as late at the next sweep, whatever is set meanwhile.
  clock()
  // Until then an earlier process may have left something mounted there.
  await posture.settled()
  const known = new Set(await gateway.groups({}))
  for (const group of await groupsOnDisk(disks.groups)) {
    if (known.has(group)) continue
    if (await disks.whileClosed(group, () => setAside(disks.groups, group)))
      log.info('moved the files of a removed group aside', { agentGroupID: group })
  }
  await removeOld(context)
}

/** Those that waited for one backup would all remove the same. */
const turns = new KeyedQueue()

/** Waits while a backup reads. Rejects when the gateway does not answer; then nothing is touched. */
export const sweepRemovedGroups = (context: Context): Promise<void> => turns.run(context.disks.groups, () => sweepOnce(context))

/** Sweeps at once and then periodically. */
export const createSweeper = (context: Context): (() => void) => {
  const { closing, times, log } = context
  const sweep = (): void => {
    sweepRemovedGroups(context).catch((error: unknown) => {
      if (!closing.aborted) log.warn('files of groups that are gone not looked for', { error })
    })
  }
  const timer = setInterval(sweep, times.sweep).unref()
  closing.addEventListener('abort', () => clearInterval(timer), { once: true })
  return sweep
}
