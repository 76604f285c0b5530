// What the tarball holds: every file with the mode that it has on every host, whatever the umask of the one who built it.
import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'

export interface Entry {
  /** Below the folder of the release, `/` between names. */
  readonly path: string
  readonly mode: number
  /** Absent: a directory. */
  readonly content?: { readonly file: string } | { readonly text: string }
}

export interface Sources {
  readonly checkout: string
  /** What `pnpm build` made. */
  readonly dist: string
  /** The pinned Node. */
  readonly node: string
}

const files = (checkout: string): Entry[] => [
  { path: 'LICENSE', mode: 0o644, content: { file: join(checkout, 'LICENSE') } },
  { path: 'bin/gatehouse', mode: 0o755, content: { file: join(checkout, 'deploy/host/gatehouse') } },
  { path: 'bin/svcctl', mode: 0o755, content: { file: join(checkout, 'deploy/host/svcctl') } },
  { path: 'gatehouse.env', mode: 0o600, content: { file: join(checkout, 'deploy/host/gatehouse.env') } },
]

/** Of a build: notes of the builder are for nobody else, and the Node of the sandboxes is copied from ours at install. */
const isShipped = (path: string): boolean =>
  !/(^|\/)\.(built-from|compile-cache)(\/|$)|^images(\/|$)/.test(path) &&
  !['packages.json', 'rootfs.stamp', 'rootfs/bin/node'].includes(path)

const modeOf = (path: string, found: { readonly mode: number; isDirectory(): boolean }): number => {
  if (path.startsWith('rootfs/')) return found.mode & 0o7777
  return found.isDirectory() ? 0o755 : 0o644
}

const treeBelow = async (folder: string, prefix: string): Promise<Entry[]> => {
  const names = (await readdir(folder, { recursive: true })).filter(isShipped)
  return Promise.all(
    names.map(async (name) => {
      const file = join(folder, name)
      const found = await lstat(file)
      if (!found.isFile() && !found.isDirectory()) throw new Error(`expected files and directories alone in ${folder}, got ${name}`)
      return { path: `${prefix}/${name}`, mode: modeOf(name, found), ...(found.isFile() && { content: { file } }) }
    }),
  )
}

const parentsOf = (path: string): string[] =>
  path
    .split('/')
    .slice(0, -1)
    .map((_, depth, names) => names.slice(0, depth + 1).join('/'))

/** With every directory, in the order of their names. */
const inOrder = (entries: readonly Entry[]): Entry[] => {
  const all = new Map(entries.map((entry) => [entry.path, entry]))
  for (const path of entries.flatMap((entry) => parentsOf(entry.path))) if (!all.has(path)) all.set(path, { path, mode: 0o755 })
  return [...all.values()].toSorted((one, other) => (one.path < other.path ? -1 : 1))
}

/** `rootfsDigest` names what the root file system will be once Node is in it. */
export const contentsOf = async ({ checkout, dist, node }: Sources, rootfsDigest: string): Promise<Entry[]> =>
  inOrder([
    ...files(checkout),
    ...(await treeBelow(join(checkout, 'deploy/systemd'), 'systemd')),
    ...(await treeBelow(dist, 'lib')),
    { path: 'lib/rootfs.stamp', mode: 0o644, content: { text: `${JSON.stringify({ inputs: 'release', digest: rootfsDigest })}\n` } },
    // A binary that nobody can read cannot be dumped or traced by its own uid either; root alone may run what it cannot read.
    { path: 'bin/node', mode: 0o711, content: { file: node } },
  ])
