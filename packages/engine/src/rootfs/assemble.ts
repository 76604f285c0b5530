// Assembles the root file system for all drivers: Node, its shared objects and the programs of the unit. It contains no shell and no
// package manager.
import { chmod, constants, copyFile, lutimes, mkdir, mkdtemp, readdir, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ServiceError } from '@gatehouse/contracts'
import {
  describeInputs,
  digestDirectory,
  directories,
  hashFile,
  readStamp,
  sharedObjects,
  texts,
  writeProfiles,
  writeStamp,
} from './layout.ts'

/** SHA-256 of the allowed Node binaries, from the packages `node-linux-*`. New releases are added by hand. */
export const nodeChecksums: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '24.21.0': {
    x64: '7fde7b8afa198da66257f42ee2001d874c7355631e6d1579a5fb5ef1f246df4c',
    arm64: '0f8949d1028f6d61506b2d5bc57e7e6fe893d7b1997509b7847294fc9c616584',
  },
}

export interface RootfsOptions {
  /** The directory to create; parents are created if necessary. */
  readonly target: string
  /** The pinned Node binary; becomes `/bin/node`. Null: without Node. */
  readonly node: string | null
  /** Shared objects of this host that other programs among the files need, each at its own path. */
  readonly libraries?: readonly string[]
  /** Programs, such as `{ source: 'dist/agent.mjs', target: '/agent/agent.mjs' }`. */
  readonly files: readonly { readonly source: string; readonly target: string }[]
}

const makeDirectory = async (path: string): Promise<void> => {
  await mkdir(path, { recursive: true })
}

/** Copies instead of linking: a hard link would share changes with other uses of the file. */
const place = async (source: string, path: string, mode: number): Promise<void> => {
  await makeDirectory(dirname(path))
  await copyFile(await realpath(source), path, constants.COPYFILE_FICLONE)
  await chmod(path, mode)
}

/** Ensures that every sandbox runs a Node binary that was reviewed for this release. */
const checkNode = async (path: string): Promise<void> => {
  const found = await hashFile(path)
  const known = Object.values(nodeChecksums).flatMap((release) => Object.values(release))
  if (known.includes(found)) return
  throw new ServiceError('no-sandbox', {
    detail: `the Node binary has the unknown checksum ${found}; known releases: ${Object.keys(nodeChecksums).join(', ')}`,
    hint: 'build with the pinned Node: npx pnpm@12 run build',
  })
}

const fill = async (root: string, options: RootfsOptions): Promise<void> => {
  for (const { path } of directories) await makeDirectory(join(root, path))
  for (const { path, text } of texts) await writeFile(join(root, path), text)
  if (options.node !== null) {
    await place(options.node, join(root, 'bin/node'), 0o755)
    await checkNode(join(root, 'bin/node'))
  }
  const libraries = new Set([...(options.node === null ? [] : await sharedObjects([options.node])), ...(options.libraries ?? [])])
  for (const path of libraries) await place(path, join(root, path), 0o755)
  for (const { source, target } of options.files) {
    await makeDirectory(dirname(join(root, target)))
    await copyFile(await realpath(source), join(root, target))
  }
}

/** Sets modes and times independently of umask and clock. */
const settle = async (root: string): Promise<void> => {
  const special = new Map<string, number>(directories.map(({ path, mode }) => [join(root, path), mode]))
  const entries = (await readdir(root, { recursive: true, withFileTypes: true })).map((entry) => join(entry.parentPath, entry.name))
  for (const path of [...entries.toSorted().toReversed(), root]) {
    const found = await stat(path)
    await chmod(path, special.get(path) ?? ((found.mode & 0o100) === 0 ? 0o644 : 0o755))
    await lutimes(path, 0, 0)
  }
}

/** Concurrent processes may assemble the same target: the last one wins. */
const replace = async (fresh: string, target: string): Promise<void> => {
  for (let attempt = 1; ; attempt += 1) {
    const old = `${fresh}.old-${attempt}`
    await rename(target, old).catch(() => undefined)
    try {
      await rename(fresh, target)
      return
    } catch (error) {
      if (attempt === 5) throw error
    } finally {
      await rm(old, { recursive: true, force: true })
    }
  }
}

/** Assembles `target` unless it was made from the same inputs. Resolves to a stamp whose digest names the content. */
export const assembleRootfs = async (options: RootfsOptions): Promise<{ digest: string }> => {
  const { target, node, libraries = [], files } = options
  const programs = [
    ...(node === null ? [] : [{ source: node, target: '/bin/node' }]),
    ...libraries.map((path) => ({ source: path, target: path })),
  ]
  const inputs = await describeInputs([...programs, ...files])
  const stamp = await readStamp(target)
  const [first] = [...programs, ...files]
  const isThere = first !== undefined && (await stat(join(target, first.target)).catch(() => null)) !== null
  if (stamp?.inputs === inputs && isThere) return { digest: stamp.digest }
  await makeDirectory(dirname(target))
  const fresh = await mkdtemp(`${target}.new-`)
  try {
    await fill(fresh, options)
    await settle(fresh)
    const digest = await digestDirectory(fresh)
    await replace(fresh, target)
    await writeProfiles(target)
    await writeStamp(target, { inputs, digest })
    return { digest }
  } finally {
    await rm(fresh, { recursive: true, force: true })
  }
}
