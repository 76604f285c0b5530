// Copies of the databases of a unit, of one moment as far as people can tell: the queues first, those that are written to
// last and held still for it, then the gateway's, which knows every session that a queue is of.
import { mkdir, readdir, readFile, rm, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { limits, ServiceError, stateFiles } from '@gatehouse/contracts'
import { ifPresent } from '@gatehouse/kernel'
import { copyStore, openKeyFile } from '@gatehouse/store'
import type { Subkeys } from '../../keys/keyring.ts'

/** The runner's queues; undefined where no runner runs. */
export interface Queues {
  touched(): Promise<readonly string[]>
  hold(): Promise<{ readonly hold: string; readonly sessions: readonly string[] }>
  release(hold: string): Promise<boolean>
  /** Gives the groups whose files are in an image alone. */
  openDisks(): Promise<readonly string[]>
}

export interface Source {
  readonly stateDir: string
  readonly keys: Pick<Subkeys, 'database' | 'queues'>
  readonly queues: Queues | undefined
  /** Where the copies are made: a directory of ours that is empty. */
  readonly copies: string
}

/** What is small and belongs to the moment in which the queues were held: by its name in the state directory. */
export type Taken = ReadonlyMap<string, Buffer>

const rounds = 4
/** So few are copied while the queues are held. */
const fewEnough = 4

const isGone = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT'

const sessionsIn = async (stateDir: string): Promise<string[]> =>
  ((await ifPresent(readdir(join(stateDir, stateFiles.queues)))) ?? []).flatMap((name) => /^(.+)\.db$/.exec(name)?.[1] ?? [])

/** One that is not whole yet, or was purged meanwhile, holds nothing. */
const copyQueue = async ({ stateDir, keys, copies }: Source, session: string): Promise<void> => {
  const to = join(copies, `${session}.db`)
  await rm(to, { force: true })
  try {
    const text = await readFile(join(stateDir, stateFiles.keys, `${session}.key`), 'utf8')
    const { key, made } = openKeyFile(Buffer.from(keys.queues, 'hex'), session, text)
    const path = join(stateDir, stateFiles.queues, `${session}.db`)
    if (made && (await stat(path)).size > 0) await copyStore({ path, key: key.toString('hex'), to })
  } catch (error) {
    if (!isGone(error)) throw error
  }
}

/** Keys and numbers, which are small, as they are while the queues are held. */
const takeSmall = async (stateDir: string): Promise<Taken> => {
  const taken = new Map<string, Buffer>()
  for (const folder of [stateFiles.keys, stateFiles.queues]) {
    const names = (await readdir(join(stateDir, folder)).catch(() => [])).filter((name) => /^[^.].*\.(?:key|json)$/.test(name))
    for (const name of names) {
      const content = await readFile(join(stateDir, folder, name)).catch(() => undefined)
      if (content !== undefined) taken.set(`${folder}/${name}`, content)
    }
  }
  return taken
}

const holdStill = async (source: Source, sessions: readonly string[]): Promise<Taken> => {
  const held = await source.queues?.hold()
  for (const session of new Set([...sessions, ...(held?.sessions ?? [])])) await copyQueue(source, session)
  const taken = await takeSmall(source.stateDir)
  if (held === undefined || (await source.queues?.release(held.hold)) === true) return taken
  throw new ServiceError('unavailable', {
    detail: `the queues are held still for no more than ${limits.backupHold} ms, and copying those in use took longer`,
    hint: 'take the backup again, when less is being said',
  })
}

/** Those that were used since they were copied come again, until they are few; these are copied while nobody writes. */
const copyQueues = async (source: Source): Promise<Taken> => {
  await source.queues?.touched()
  let sessions: readonly string[] = await sessionsIn(source.stateDir)
  for (let round = 0; round === 0 || (round < rounds && sessions.length > fewEnough); round += 1) {
    for (const session of sessions) await copyQueue(source, session)
    sessions = (await source.queues?.touched()) ?? []
  }
  return holdStill(source, sessions)
}

const sizeOf = (path: string): Promise<number> =>
  stat(path).then(
    ({ size }) => size,
    () => 0,
  )

/** The unit must not lose its disk to a backup. */
const assertRoom = async ({ stateDir, copies }: Source): Promise<void> => {
  const queues = (await sessionsIn(stateDir)).map((session) => join(stateDir, stateFiles.queues, `${session}.db`))
  const database = join(stateDir, stateFiles.database)
  let wanted = 0
  for (const path of [database, ...queues]) wanted += (await sizeOf(path)) + (await sizeOf(`${path}-wal`))
  const { bavail, bsize, blocks } = await statfs(copies)
  const rest = Math.min(limits.diskForOthers, (blocks * bsize) / 8)
  if (bavail * bsize >= wanted + rest) return
  throw new ServiceError('unavailable', {
    detail: `the copies of the databases need ${wanted} bytes beside the ${rest} that the unit keeps free, and ${bavail * bsize} are free`,
    hint: 'make room on the disk of the state directory; nothing was changed',
  })
}

/** Gives the keys of the queues, which belong to the copies. */
export const copyDatabases = async (source: Source): Promise<Taken> => {
  await mkdir(source.copies, { mode: 0o700 })
  await assertRoom(source)
  const taken = await copyQueues(source)
  const { stateDir, keys, copies } = source
  await copyStore({ path: join(stateDir, stateFiles.database), key: keys.database, to: join(copies, stateFiles.database) })
  return taken
}
