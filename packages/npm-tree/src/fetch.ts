// Writes a locked tree to disk. Every tarball is verified against the lock; the result contains no links and is complete or absent.
import { chmod, mkdir, mkdtemp, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type Digest, limits, type LockedPackage, type PackageLock } from '@gatehouse/contracts'
import { digestOf } from '@gatehouse/kernel'
import { readArchive } from './archive.ts'
import { download } from './download.ts'
import { each } from './each.ts'
import { type NpmOptions, npmOptions, type Registry, tarballUrl } from './registry.ts'
import { TreeRefused } from './task.ts'

export const lockDigest = (lock: PackageLock): Digest => digestOf(lock)

export interface FetchedTree {
  readonly digest: Digest
  /** Read-only directory that contains `node_modules`, named by the digest. */
  readonly path: string
}

const downloadsAtOnce = 2

interface Target {
  readonly root: string
  readonly options: NpmOptions
  bytes: number
  files: number
}

const writePackage = async (target: Target, { path, ...tarball }: LockedPackage): Promise<void> => {
  const home = join(target.root, path)
  const files = await readArchive(await download(tarball, target.options))
  target.files += files.length
  for (const file of files) {
    target.bytes += file.content.byteLength
    if (target.bytes > limits.treeBytes || target.files > limits.treeFiles)
      throw new TreeRefused('too-large', `the tree has more than ${limits.treeBytes} bytes or ${limits.treeFiles} files`)
    const to = join(home, file.path)
    await mkdir(dirname(to), { recursive: true })
    await writeFile(to, file.content, { flush: true })
  }
}

/** Makes a tree read-only, from the leaves up. */
const makeReadOnly = async (root: string): Promise<void> => {
  const entries = (await readdir(root, { recursive: true, withFileTypes: true })).toReversed()
  for (const entry of entries) await chmod(join(entry.parentPath, entry.name), entry.isDirectory() ? 0o555 : 0o444)
  await chmod(root, 0o555)
}

/** Removes a read-only tree. */
export const removeTree = async (root: string): Promise<void> => {
  const isThere = await stat(root).then(
    () => true,
    () => false,
  )
  if (!isThere) return
  await chmod(root, 0o700)
  for (const entry of await readdir(root, { withFileTypes: true })) {
    if (entry.isDirectory()) await removeTree(join(root, entry.name))
  }
  await rm(root, { recursive: true, force: true })
}

const moveIntoPlace = async (temporary: string, path: string): Promise<void> => {
  try {
    // Only root can rename a read-only directory.
    await chmod(temporary, 0o755)
    await rename(temporary, path)
    await chmod(path, 0o555)
  } catch (error) {
    await removeTree(temporary)
    // Another call was faster, with the same content.
    if (!(await stat(path).catch(() => undefined))?.isDirectory()) throw error
  }
}

/** Makes a complete tree read-only and renames it, within one file system. */
export const adoptTree = async (temporary: string, path: string): Promise<void> => {
  await makeReadOnly(temporary)
  await moveIntoPlace(temporary, path)
}

/** Downloads a tree into a directory named by the digest of its lock. An existing directory is reused. Rejects with `TreeRefused`. */
export const fetchTree = async (lock: PackageLock, registry: Registry, directory: string): Promise<FetchedTree> => {
  const digest = lockDigest(lock)
  const path = join(directory, digest)
  if ((await stat(path).catch(() => undefined))?.isDirectory()) return { digest, path }
  const temporary = await mkdtemp(join(directory, '.fresh-'))
  try {
    const target: Target = { root: join(temporary, 'tree'), options: npmOptions(registry, join(temporary, 'work')), bytes: 0, files: 0 }
    await mkdir(join(target.root, 'node_modules'), { recursive: true })
    const packages = lock.packages.map((one) => ({ ...one, tarball: tarballUrl(registry.url, one.tarball) }))
    await each(packages, downloadsAtOnce, (one) => writePackage(target, one))
    await adoptTree(target.root, path)
    return { digest, path }
  } finally {
    await removeTree(temporary)
  }
}
