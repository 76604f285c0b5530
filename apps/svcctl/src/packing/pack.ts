// Makes an image of a resolved npm tree: every tarball verified, no script run, with the Node that runs this program.
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, posix } from 'node:path'
import { type ContainerEngine, type PackageLock, PackageName, ServiceError } from '@gatehouse/contracts'
import type { MadeImage } from '@gatehouse/engine'
import type { Registry } from '@gatehouse/npm-tree'
import * as v from 'valibot'

/** The program of a package, by the word of its manifest. */
const Manifest = v.looseObject({ bin: v.optional(v.union([v.string(), v.record(v.string(), v.string())])) })

const choose = (bin: Readonly<Record<string, string>>, base: string, wanted: string | undefined): string | undefined => {
  const names = Object.keys(bin)
  return bin[wanted ?? (names.includes(base) ? base : names.length === 1 ? names[0] : undefined) ?? '']
}

/** Path of the program below the package. @param home the package's directory */
export const findProgram = async (home: string, name: string, wanted: string | undefined): Promise<string> => {
  const { bin } = v.parse(Manifest, JSON.parse(await readFile(join(home, 'package.json'), 'utf8')))
  const base = name.slice(name.lastIndexOf('/') + 1)
  const all = typeof bin === 'string' ? { [base]: bin } : (bin ?? {})
  const program = choose(all, base, wanted)
  if (program !== undefined && !posix.normalize(program).startsWith('..')) return posix.normalize(program)
  const names = Object.keys(all)
  throw new ServiceError('invalid', {
    detail:
      names.length === 0
        ? `expected a package with a program, ${name} has none`
        : `expected a program of ${name}, got ${wanted ?? 'no choice'}: it has ${names.join(', ')}`,
    hint: names.length === 0 ? 'pack the package that holds the server' : `choose with --bin, such as --bin ${names[0] ?? ''}`,
  })
}

export interface PackOptions {
  readonly wanted: PackageSpec
  readonly lock: PackageLock
  readonly registry: Registry
  /** Null: the first that works. */
  readonly engine: ContainerEngine | null
  readonly bin: string | undefined
}

export interface Packed {
  readonly image: MadeImage
  readonly command: string
  readonly args: readonly string[]
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

export const pack = async ({ wanted, lock, registry, engine, bin }: PackOptions): Promise<Packed> => {
  assertNode()
  const [{ fetchTree, removeTree }, { makeImage }] = await Promise.all([import('@gatehouse/npm-tree'), import('@gatehouse/engine')])
  const work = await mkdtemp(join(tmpdir(), 'gatehouse-pack-'))
  try {
    const tree = await fetchTree(lock, registry, work)
    try {
      const program = await findProgram(join(tree.path, 'node_modules', wanted.name), wanted.name, bin)
      const files = (await filesBelow(tree.path)).map((path) => ({ source: join(tree.path, path), target: `/app/${path}` }))
      const image = await makeImage({ name: imageName(wanted.name), engine, node: process.execPath, files })
      const main = posix.join('/app/node_modules', wanted.name, program)
      return { image, command: '/bin/node', args: [main] }
    } finally {
      await removeTree(tree.path)
    }
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

/** What is to be packed: `npm:<name>@<exact version>`, and nothing that could be another package tomorrow. */
interface PackageSpec {
  readonly name: string
  readonly version: string
  /** Both, as npm writes them. */
  readonly spec: PackageName
}

export const parseSpec = (text: string): PackageSpec => {
  const parsed = v.safeParse(PackageName, text.startsWith('npm:') ? text.slice(4) : '')
  if (!parsed.success)
    throw new ServiceError('invalid', {
      detail: `expected npm:<name>@<exact version>, got ${JSON.stringify(text)}`,
      hint: 'such as npm:@modelcontextprotocol/server-memory@2026.1.1; `npm view <name> version` tells the latest',
    })
  const spec = parsed.output
  const at = spec.lastIndexOf('@')
  return { name: spec.slice(0, at), version: spec.slice(at + 1), spec }
}
