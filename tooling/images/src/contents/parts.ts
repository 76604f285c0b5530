// The list of parts of an image, from the very entries that are in it.
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { hashFile } from '@gatehouse/engine'
import { type Hashed, type Library, readNpmPackages, renderParts } from '@gatehouse/sbom'
import { readElf } from '../elf/read.ts'
import type { FileEntry } from '../layer/entry.ts'
import type { Sysroot } from '../materials/sysroot.ts'
import type { LayerPlan } from '../oci/layout.ts'

export interface PartsOptions {
  readonly name: string
  readonly version: string
  /** Directory of the bundles. */
  readonly release: string
  readonly sysroot: Sysroot
  /** Programs whose npm packages are in the image. */
  readonly programs: readonly string[]
}

const hashOf = async ({ path, content }: FileEntry): Promise<Hashed> => ({
  path: `/${path}`,
  sha256: 'text' in content ? createHash('sha256').update(content.text).digest('hex') : await hashFile(content.source),
})

const isLibrary = ({ path }: FileEntry): boolean => /^lib(?:64)?\//.test(path)

const libraryOf = async (entry: FileEntry, sysroot: Sysroot): Promise<Library> => ({
  ...(await hashOf(entry)),
  debian: 'source' in entry.content ? await sysroot.packageOf(entry.content.source) : null,
})

const filesOf = (layers: readonly LayerPlan[]): FileEntry[] => layers.flatMap(({ entries }) => entries.filter((one) => one.kind === 'file'))

/** Every machine program in an image is for the machine that its label says. */
export const checkMachine = async (layers: readonly LayerPlan[], machine: number): Promise<void> => {
  for (const { path, content } of filesOf(layers)) {
    const elf = 'source' in content ? await readElf(content.source) : null
    if (elf !== null && elf.machine !== machine)
      throw new TypeError(`/${path}: expected a program for machine ${machine}, got ${elf.machine}`)
  }
}

/** Those of the Node that runs, which is of the same release as the one in the image. */
const versionsOfNode = (): Record<string, string> =>
  Object.fromEntries(Object.entries(process.versions).flatMap(([name, version]) => (version === undefined ? [] : [[name, version]])))

/** Text of the list. */
export const partsOf = async (
  layers: readonly LayerPlan[],
  { name, version, release, sysroot, programs }: PartsOptions,
): Promise<string> => {
  const files = filesOf(layers)
  const node = files.find(({ path }) => path === 'bin/node')
  if (node === undefined) throw new TypeError('expected Node in the image, got none')
  const others = files.filter((one) => one !== node && !isLibrary(one))
  return renderParts({
    name,
    version,
    kind: 'container',
    node: { ...(await hashOf(node)), versions: versionsOfNode() },
    libraries: await Promise.all(files.filter(isLibrary).map((one) => libraryOf(one, sysroot))),
    packages: await readNpmPackages(join(release, 'packages.json'), programs),
    files: await Promise.all(others.map(hashOf)),
  })
}
