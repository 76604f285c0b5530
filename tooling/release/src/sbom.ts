// The list of parts of the tarball, from the very entries that are in it.
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { hashFile } from '@gatehouse/engine'
import { debianPackageOf, type Hashed, readNpmPackages, renderParts } from '@gatehouse/sbom'
import type { Entry } from './contents.ts'

const hashed = async ({ path, content }: Entry): Promise<Hashed | undefined> => {
  if (content === undefined) return undefined
  if ('text' in content) return { path, sha256: createHash('sha256').update(content.text).digest('hex') }
  return { path, sha256: await hashFile(content.file) }
}

const ofSandboxes = 'lib/rootfs'
const isLibrary = ({ path }: Hashed): boolean => /^lib\/rootfs\/(?:usr\/)?lib(?:64)?\//.test(path)

const versionsOfNode = (): Record<string, string> =>
  Object.fromEntries(Object.entries(process.versions).flatMap(([name, found]) => (found === undefined ? [] : [[name, found]])))

export const sbomOf = async (entries: readonly Entry[], { dist, version }: { readonly dist: string; readonly version: string }) => {
  const files = (await Promise.all(entries.map(hashed))).filter((file) => file !== undefined)
  const node = files.find(({ path }) => path === 'bin/node')
  if (node === undefined) throw new Error('expected Node in the release, got none')

  const programs = files.map(({ path }) => path.replace(/^lib\//, ''))
  const libraries = files.filter(isLibrary).map(async ({ path, sha256 }) => {
    // The copy has the path that it had on the machine that it was taken from.
    return { path, sha256, debian: await debianPackageOf(path.slice(ofSandboxes.length)) }
  })
  return renderParts({
    name: 'gatehouse',
    version,
    kind: 'application',
    node: { path: node.path, sha256: node.sha256, versions: versionsOfNode() },
    libraries: await Promise.all(libraries),
    packages: await readNpmPackages(join(dist, 'packages.json'), programs),
    files: files.filter((file) => file !== node && !isLibrary(file)).map(({ path, sha256 }) => ({ path, sha256 })),
  })
}
