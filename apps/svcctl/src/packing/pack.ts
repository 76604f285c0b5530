// Makes an image of a resolved tree: every tarball verified, no script run, the Node that runs this, nothing else.
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, posix } from 'node:path'
import { type ContainerEngine, type LocalEntry, type PackageLock, ServiceError } from '@gatehouse/contracts'
import type { MadeImage } from '@gatehouse/engine'
import type { Registry } from '@gatehouse/npm-tree'
import { programOf } from './program.ts'
import type { Wanted } from './spec.ts'

export interface PackOptions {
  readonly wanted: Wanted
  readonly lock: PackageLock
  readonly registry: Registry
  /** Null: the first that works. */
  readonly engine: ContainerEngine | null
  readonly bin: string | undefined
  readonly args: readonly string[]
}

export interface Packed {
  readonly image: MadeImage
  readonly entry: LocalEntry
}

/** The release that the images of this unit are made for; an older one would fail inside, out of sight. */
const oldestNode = 24

const assertNode = (): void => {
  const major = Number(process.versions.node.split('.')[0])
  if (process.platform === 'linux' && major >= oldestNode) return
  throw new ServiceError('invalid', {
    detail: `expected Node ${oldestNode} or newer on Linux, which goes into the image, got ${process.version} on ${process.platform}`,
    hint: 'run svcctl by the Node of the release, on a Linux host',
  })
}

const filesBelow = async (root: string): Promise<string[]> =>
  (await readdir(root, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .toSorted()

/** A name that engines take: lower case, without `@` and slashes. */
const imageName = (name: string): string =>
  `gatehouse-mcp-${name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replace(/^-/, '')}`

export const pack = async ({ wanted, lock, registry, engine, bin, args }: PackOptions): Promise<Packed> => {
  assertNode()
  const [{ fetchTree, removeTree }, { makeImage }] = await Promise.all([import('@gatehouse/npm-tree'), import('@gatehouse/engine')])
  const work = await mkdtemp(join(tmpdir(), 'gatehouse-pack-'))
  try {
    const tree = await fetchTree(lock, registry, work)
    try {
      const program = await programOf(join(tree.path, 'node_modules', wanted.name), wanted.name, bin)
      const files = (await filesBelow(tree.path)).map((path) => ({ source: join(tree.path, path), target: `/app/${path}` }))
      const image = await makeImage({ name: imageName(wanted.name), engine, node: process.execPath, files })
      const main = posix.join('/app/node_modules', wanted.name, program)
      return { image, entry: { transport: 'stdio', command: '/bin/node', args: [main, ...args], image: image.image, env: {} } }
    } finally {
      await removeTree(tree.path)
    }
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}
