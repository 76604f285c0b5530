// A place for a trial: the directories and the socket that a session would have, owned as its driver wants them.
import { once } from 'node:events'
import { chmod, chown, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import type { HostIdentity } from '@gatehouse/contracts'
import type { Driver, Mount } from '../driver.ts'

export interface TrialPlace {
  readonly workspace: string
  readonly mounts: readonly Mount[]
  remove(): Promise<void>
}

const serve = async (directory: string, gid: number | undefined): Promise<() => Promise<void>> => {
  const socket = join(directory, 'session.sock')
  const server = createServer((connection) => connection.end()).listen(socket)
  await once(server, 'listening')
  if (gid !== undefined) for (const path of [socket, directory]) await chown(path, process.geteuid?.() ?? -1, gid)
  await chmod(socket, 0o660)
  await chmod(directory, 0o710)
  return async () => {
    server.close()
    await once(server, 'close')
  }
}

export const openTrialPlace = async (driver: Driver, identity: HostIdentity | undefined, home: string): Promise<TrialPlace> => {
  await mkdir(home, { recursive: true, mode: 0o700 })
  const base = await mkdtemp(join(home, 'trial-'))
  const owner = driver.owner(identity)
  const directory = async (name: string): Promise<string> => {
    const path = join(base, name)
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
      await rm(base, { recursive: true, force: true })
    },
  }
}
