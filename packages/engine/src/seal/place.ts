// Prepares a trial: the directories and the socket of a session, with the owners that its driver needs.
import { once } from 'node:events'
import { chmod, chown, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import type { HostIdentity } from '@gatehouse/contracts'
import { emptyTrial } from '../detect-disks.ts'
import { trialMiB } from '../disks/disk.ts'
import { openDisk } from '../disks/open.ts'
import type { DiskPrograms } from '../disks/programs.ts'
import type { Driver, Mount } from '../driver.ts'
import { closePremadeTrial, openPremadeTrial } from '../preallocated/detect.ts'
import type { Pool } from '../preallocated/pool.ts'

/** How the trial gets a disk such as groups have. */
export type TrialDisk = ({ readonly programs: DiskPrograms } | { readonly premade: Pool }) & {
  /** Only for trials, without symbolic links in its path. */
  readonly directory: string
}

export interface TrialPlace {
  readonly workspace: string
  readonly mounts: readonly Mount[]
  remove(): Promise<void>
}

const serve = async (directory: string, gid: number | undefined): Promise<() => Promise<void>> => {
  const socket = join(directory, 'session.sock')
  const connections = new Set<Socket>()
  const server = createServer((connection) => {
    connections.add(connection)
    connection
      .once('close', () => connections.delete(connection))
      .once('error', () => connection.destroy())
      .end()
  }).listen(socket)
  await once(server, 'listening')
  if (gid !== undefined) for (const path of [socket, directory]) await chown(path, process.geteuid?.() ?? -1, gid)
  await chmod(socket, 0o660)
  await chmod(directory, 0o710)
  return async () => {
    server.close()
    // A sandbox that survives its stop would keep its connection open, and the proof would never end.
    for (const connection of connections) connection.destroy()
    await once(server, 'close')
  }
}

interface PlaceOptions {
  readonly identity: HostIdentity | undefined
  readonly home: string
  /** Undefined where groups have no disks: then the files of the trial are beside its socket. */
  readonly disk: TrialDisk | undefined
}

const openFiles = async (base: string, disk: TrialDisk | undefined): Promise<string> => {
  if (disk === undefined) return base
  if ('premade' in disk) return openPremadeTrial(disk.premade, disk.directory)
  const point = join(disk.directory, 'point')
  await emptyTrial(disk.programs, disk.directory)
  await openDisk(disk.programs, { image: join(disk.directory, 'image'), point, MiB: trialMiB }, { quiet: true })
  return point
}

const closeFiles = (disk: TrialDisk): Promise<void> =>
  'premade' in disk ? closePremadeTrial(disk.premade, disk.directory) : emptyTrial(disk.programs, disk.directory)

export const openTrialPlace = async (driver: Driver, { identity, home, disk }: PlaceOptions): Promise<TrialPlace> => {
  await mkdir(home, { recursive: true, mode: 0o700 })
  const base = await mkdtemp(join(home, 'trial-'))
  const files = await openFiles(base, disk)
  const owner = driver.owner(identity)
  const directory = async (name: string): Promise<string> => {
    const path = join(files, name)
    await mkdir(path, { mode: 0o700 })
    if (owner !== undefined) await chown(path, owner.uid, owner.gid)
    return path
  }
  const [workspace, memory, shared] = [await directory('workspace'), await directory('memory'), await directory('shared')]
  const session = join(base, 'session')
  await mkdir(session, { mode: 0o700 })
  const close = await serve(session, owner === undefined ? undefined : (identity ?? owner).gid)
  return {
    workspace,
    mounts: [
      { source: workspace, target: '/workspace', mode: 'rw' },
      { source: memory, target: '/memory', mode: 'rw' },
      { source: shared, target: '/shared', mode: 'ro' },
      { source: session, target: '/run/gatehouse/session', mode: 'ro' },
    ],
    async remove() {
      await close()
      if (disk !== undefined) await closeFiles(disk)
      await rm(base, { recursive: true, force: true })
    },
  }
}
