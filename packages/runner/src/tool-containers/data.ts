// The private directory of a server that keeps something: its own below the state directory, whatever happens to its container.
import { chmod, lchown, lstat } from 'node:fs/promises'
import { join } from 'node:path'
import { type ContainerOrder, toolDataDirectory } from '@gatehouse/contracts'
import type { ToolEngine, ToolOrder } from '@gatehouse/engine'
import { makeDirectory, privateDirectory } from '@gatehouse/kernel'
import { ContainerRefused } from './refused.ts'

/** Everybody may pass a mode, but only through the parent, which is the unit's alone. */
const anybody = 0o777

type Server = Pick<ContainerOrder, 'server' | 'session'>

export const dataMount = async (
  stateDir: string,
  { server, session }: Server,
  { owner }: ToolEngine,
): Promise<ToolOrder['mounts'][number]> => {
  const parent = join(stateDir, toolDataDirectory)
  await privateDirectory(parent)
  const source = join(parent, session === undefined ? server : `${server}.${session}`)
  await makeDirectory(source)
  const found = await lstat(source)
  if (!found.isDirectory()) throw new ContainerRefused('volume', `expected a directory at ${source}, got another kind of file`)
  if (owner === undefined) await chmod(source, anybody)
  else if (found.uid !== owner.uid || found.gid !== owner.gid) await lchown(source, owner.uid, owner.gid)
  return { source, target: '/data', mode: 'rw' }
}
