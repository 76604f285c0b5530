// Volumes as a kubelet hands them to a pod with an fsGroup: as pkg/volume/volume_linux.go of Kubernetes does it.
import { chmod, lchown, lstat, mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'

const setgid = 0o2000
const maskOf = (isDirectory: boolean): number => (isDirectory ? 0o660 | setgid | 0o110 : 0o660)

/** The root of a fresh ext4: root's, with a directory in it that is root's alone. */
export const freshVolume = async (path: string): Promise<void> => {
  await mkdir(path, { mode: 0o755 })
  await chmod(path, 0o755)
  await mkdir(join(path, 'lost+found'), { mode: 0o700 })
}

/** An emptyDir is open to everybody, and of the group. */
export const emptyDirectory = async (path: string, group: number): Promise<void> => {
  await mkdir(path)
  await lchown(path, 0, group)
  await chmod(path, 0o2777)
}

const give = async (path: string, group: number): Promise<void> => {
  const found = await lstat(path)
  await lchown(path, found.uid, group)
  if (found.isSymbolicLink()) return
  await chmod(path, (found.mode & 0o7777) | maskOf(found.isDirectory()))
  if (found.isDirectory()) for (const name of await readdir(path)) await give(join(path, name), group)
}

const fits = async (path: string, group: number): Promise<boolean> => {
  const found = await lstat(path)
  return found.gid === group && (found.mode & maskOf(true)) === maskOf(true)
}

export interface Mounting {
  readonly fsGroup: number
  readonly policy: string | undefined
}

/** What happens to a volume each time a pod starts. */
export const mountFor = async (path: string, { fsGroup, policy }: Mounting): Promise<void> => {
  if (policy === 'OnRootMismatch' && (await fits(path, fsGroup))) return
  await give(path, fsGroup)
}
