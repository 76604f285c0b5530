// Makes an image of a package of PyPI: a pinned Python, wheels that uv verified, and a file that starts the server. Nothing of it is run.
import { access, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { type ContainerEngine, ServiceError } from '@gatehouse/contracts'
import type { MadeImage } from '@gatehouse/engine'
import type { Python, PythonArchive, PythonSpec, PythonWheel } from '@gatehouse/python-tree'
import type { Environment } from '../command.ts'

const load = () => Promise.all([import('@gatehouse/python-tree'), import('@gatehouse/engine')])

export interface PythonTree {
  readonly spec: PythonSpec
  readonly python: Python
  readonly packages: readonly PythonWheel[]
  readonly bytes: number
  /** Directory of the unpacked wheels. */
  readonly target: string
}

export interface PythonOptions {
  readonly spec: PythonSpec
  readonly archive: PythonArchive | undefined
  readonly environment: Environment
  readonly work: string
}

/** A directory that is removed after the work. */
export const withDirectory = async <T>(work: (directory: string) => Promise<T>): Promise<T> => {
  const directory = await mkdtemp(join(tmpdir(), 'gatehouse-pack-'))
  try {
    return await work(directory)
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

/** Resolved, fetched and verified below `work`. Throws `invalid` where no version is named, with the newest one. */
export const fetchPythonTree = async ({ spec, archive, environment, work }: PythonOptions): Promise<PythonTree> => {
  const [{ findUv, installPython, resolveWheels, fetchWheels, readWheels }] = await load()
  const uv = await findUv(environment)
  const python = await installPython(uv, join(work, 'python'), archive)
  const lock = await resolveWheels(uv, spec, { python, work })
  if (spec.version === undefined)
    throw new ServiceError('invalid', {
      detail: `expected an exact version of ${spec.requirement}, got none`,
      hint: `the newest that can be packed is ${lock.version}: svcctl mcp pack 'pypi:${spec.requirement}@${lock.version}'`,
    })
  const target = join(work, 'packages')
  await mkdir(target, { recursive: true })
  await fetchWheels(uv, lock, { python, target })
  return { spec, python, target, ...(await readWheels(target)) }
}

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )

/** Libraries that wheels for Linux may expect of any host, besides those of the programs. */
const expected = ['librt.so.1', 'libutil.so.1', 'libresolv.so.2', 'libz.so.1']

/** Of Python, its own modules, this Node (for the C++ runtime that wheels use) and the added programs; never of what is in wheels. */
const librariesOf = async ({ home, program }: Python, added: readonly string[], files: readonly string[]): Promise<string[]> => {
  const [, { sharedObjects }] = await load()
  const modules = files.filter((path) => path.includes('/lib-dynload/')).map((path) => join(home, path))
  const found = await sharedObjects([program, process.execPath, ...modules, ...added])
  const system = dirname(found.find((path) => basename(path).startsWith('libc.so')) ?? '/lib/libc.so.6')
  const more = expected.map((name) => join(system, name))
  const there = await Promise.all(more.map(isThere))
  return [...new Set([...found, ...more.filter((_, index) => there[index])])].filter((path) => !path.startsWith(`${home}/`))
}

export interface PythonImageOptions {
  readonly tree: PythonTree
  readonly work: string
  readonly engine: ContainerEngine | null
  readonly bin: string | undefined
  /** Programs of this host that the server starts. */
  readonly programs: readonly string[]
}

const packagesAt = '/app/packages'
const startAt = '/app/start.py'

const filesBelow = async (root: string): Promise<string[]> =>
  (await readdir(root, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.pyc'))
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .toSorted()

export interface PythonImage {
  readonly image: MadeImage
  readonly command: string
  readonly args: readonly string[]
}

/** `-I` keeps Python from everything but its own installation; `-B` from writing into a root that is read-only. */
export const makePythonImage = async ({ tree, work, engine, bin, programs }: PythonImageOptions): Promise<PythonImage> => {
  const [{ pythonFiles, startFile }, { makeImage }] = await load()
  const { python, spec, target } = tree
  const start = join(work, 'start.py')
  await writeFile(start, await startFile(target, spec, { path: packagesAt, bin }))
  const own = await pythonFiles(python)
  const files = [
    ...own.map((path) => ({ source: join(python.home, path), target: `/python/${path}` })),
    ...(await filesBelow(target)).map((path) => ({ source: join(target, path), target: `${packagesAt}/${path}` })),
    ...programs.map((path) => ({ source: path, target: `/bin/${basename(path)}` })),
    { source: start, target: startAt },
  ]
  const name = `gatehouse-mcp-${spec.name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}`
  const image = await makeImage({ name, engine, node: null, libraries: await librariesOf(python, programs, own), files })
  return { image, command: `/python/bin/${basename(python.program)}`, args: ['-I', '-B', startAt] }
}
