// Brings a locked tree to disk: every tarball compared with the lock, plain files and no links, complete or not there at all.
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
  /** Below the given directory, named by the digest. Read-only, with `node_modules` in it. */
  readonly path: string
}

const downloadsAtOnce = 2

interface Target {
  readonly root: string
  readonly options: NpmOptions
  bytes: number
  files: number
}

const place = async (target: Target, { path, ...wanted }: LockedPackage): Promise<void> => {
  const home = join(target.root, path)
  const files = await readArchive(await download(wanted, target.options))
  target.files += files.length
  for (const file of files) {
    target.bytes += file.content.byteLength
    if (target.bytes > limits.treeBytes || target.files > limits.treeFiles) throw new TreeRefused('too-large', 'expected less in all')
    const to = join(home, file.path)
    await mkdir(dirname(to), { recursive: true })
    await writeFile(to, file.content, { flush: true })
  }
}

/** From the leaves, since a directory that nobody may write takes nothing any more. */
const protect = async (root: string): Promise<void> => {
  const entries = (await readdir(root, { recursive: true, withFileTypes: true })).toReversed()
  for (const entry of entries) await chmod(join(entry.parentPath, entry.name), entry.isDirectory() ? 0o555 : 0o444)
  await chmod(root, 0o555)
}

/** Of a tree that is read-only. */
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

const adopt = async (fresh: string, path: string): Promise<void> => {
  try {
    // A directory that nobody may write cannot be renamed by anybody but root.
    await chmod(fresh, 0o755)
    await rename(fresh, path)
    await chmod(path, 0o555)
  } catch (error) {
    await removeTree(fresh)
    // Another act was faster, with the same content.
    if (!(await stat(path).catch(() => undefined))?.isDirectory()) throw error
  }
}

/** Makes a finished tree read-only and gives it its name, in the same directory or one beside it. */
export const adoptTree = async (fresh: string, path: string): Promise<void> => {
  await protect(fresh)
  await adopt(fresh, path)
}

/** The packages lie in a directory named by the lock's digest; one that is there already is left as it is. Throws `TreeRefused`. */
export const fetchTree = async (lock: PackageLock, registry: Registry, directory: string): Promise<FetchedTree> => {
  const digest = lockDigest(lock)
  const path = join(directory, digest)
  if ((await stat(path).catch(() => undefined))?.isDirectory()) return { digest, path }
  const fresh = await mkdtemp(join(directory, '.fresh-'))
  try {
    const target: Target = { root: join(fresh, 'tree'), options: npmOptions(registry, join(fresh, 'work')), bytes: 0, files: 0 }
    await mkdir(join(target.root, 'node_modules'), { recursive: true })
    const known = lock.packages.map((one) => ({ ...one, tarball: tarballUrl(registry.url, one.tarball) }))
    await each(known, downloadsAtOnce, (one) => place(target, one))
    await adoptTree(target.root, path)
    return { digest, path }
  } finally {
    await removeTree(fresh)
  }
}
