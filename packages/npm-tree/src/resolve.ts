// Resolves names to a whole tree, each tarball looked into. Registry sources alone: no git, address, file or alias, at any depth.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isObject, jsonBounds, limits, type LockedPackage, type PackageLock } from '@gatehouse/contracts'
import { parseJson } from '@gatehouse/kernel'
import { Arborist, type TreeNode } from '@npmcli/arborist'
import parse from 'npm-package-arg'
import { type ArchivedFile, readArchive } from './archive.ts'
import { download, integrityOf, type Wanted } from './download.ts'
import { each } from './each.ts'
import { type NpmOptions, npmOptions, type Registry, tarballUrl } from './registry.ts'
import { toRefused, TreeRefused } from './task.ts'

interface Seen extends Pick<LockedPackage, 'integrity' | 'binaries' | 'scripts'> {
  readonly bytes: number
}

const installScripts = ['preinstall', 'install', 'postinstall'] as const
const most = 64

const magics = [
  Buffer.from('\x7fELF', 'latin1'),
  Buffer.from('MZ', 'latin1'),
  ...['feedface', 'feedfacf', 'cefaedfe', 'cffaedfe', 'cafebabe'].map((hex) => Buffer.from(hex, 'hex')),
  Buffer.from('\0asm', 'latin1'),
]

const isBinary = ({ path, content }: ArchivedFile): boolean =>
  path.endsWith('.node') || magics.some((magic) => content.subarray(0, magic.length).equals(magic))

const parseManifest = (content: Uint8Array): unknown => {
  try {
    return parseJson(content, jsonBounds.packageManifest)
  } catch (error) {
    throw new TreeRefused('bad-archive', 'expected a package.json in JSON', error)
  }
}

/** Of the package and of those that it carries along; npm builds a `binding.gyp` of its own accord. */
const scriptsOf = (files: readonly ArchivedFile[]): string[] =>
  files.flatMap(({ path, content }) => {
    const folder = path.slice(0, path.lastIndexOf('/') + 1)
    if (!/^(?:node_modules\/.*\/)?$/.test(folder) || folder.endsWith('/node_modules/')) return []
    if (path === `${folder}binding.gyp`) return [`${folder}binding.gyp`]
    if (path !== `${folder}package.json`) return []
    const manifest = parseManifest(content)
    const scripts = isObject(manifest) && isObject(manifest['scripts']) ? manifest['scripts'] : {}
    return installScripts.filter((name) => name in scripts).map((name) => `${folder}${name}`)
  })

const look = async (wanted: Wanted, options: NpmOptions): Promise<Seen> => {
  const tarball = await download(wanted, options)
  const files = await readArchive(tarball)
  return {
    integrity: integrityOf(tarball),
    binaries: files
      .filter(isBinary)
      .map(({ path }) => path)
      .toSorted()
      .slice(0, most),
    scripts: scriptsOf(files).toSorted().slice(0, most),
    bytes: files.reduce((sum, { content }) => sum + content.byteLength, 0),
  }
}

const downloadsAtOnce = 4
const fromRegistry: readonly string[] = ['version', 'range', 'tag']

const typeOf = (spec: string): string => {
  try {
    return parse(spec).type
  } catch (error) {
    throw new TreeRefused('bad-name', `expected the name of a package, got ${JSON.stringify(spec.slice(0, 200))}`, error)
  }
}

const refuseSpec = (spec: string, by: string): void => {
  const type = typeOf(spec)
  if (!fromRegistry.includes(type)) {
    throw new TreeRefused('not-from-registry', `${by} wants ${spec.slice(0, 200)} (${type}), and packages come from the registry alone`)
  }
}

const titleOf = ({ isRoot, packageName, version }: TreeNode): string =>
  isRoot ? 'the request' : `${packageName ?? 'a package'}@${version}`

/** Optional ones too: what is left out today would be there tomorrow. */
const refuseStrangers = (node: TreeNode): void => {
  if (node.isLink) throw new TreeRefused('not-from-registry', `${titleOf(node)} is a link`)
  for (const { name, spec, error, type } of node.edgesOut.values()) {
    refuseSpec(`${name}@${spec}`, titleOf(node))
    if (error !== null && !/optional/i.test(type)) throw new TreeRefused('conflict', `${titleOf(node)} wants ${name}@${spec}: ${error}`)
  }
}

const idealTree = async (names: readonly string[], options: NpmOptions, path: string): Promise<readonly TreeNode[]> => {
  try {
    const arborist = new Arborist({ ...options, path, packageLock: false, saveType: 'prod' })
    const { inventory } = await arborist.buildIdealTree({ add: [...names], saveType: 'prod' })
    return [...inventory.values()].filter(({ inert }) => inert !== true)
  } catch (error) {
    throw toRefused(error, names.join(' '))
  }
}

const wantedOf = (node: TreeNode, registry: Registry): Wanted => {
  const { packageName, version, resolved, integrity } = node
  if (packageName === null || resolved === null || integrity === null) {
    throw new TreeRefused('wrong-integrity', `expected the registry to give the digest of ${titleOf(node)}, got none`)
  }
  return { name: packageName, version, tarball: tarballUrl(registry.url, resolved), integrity }
}

const bundledIn = (nodes: readonly TreeNode[], bundler: TreeNode): string[] =>
  nodes
    .filter((node) => node.inBundle && node.getBundler() === bundler)
    .map(titleOf)
    .toSorted()

const byPath = (a: LockedPackage, b: LockedPackage): number => (a.path < b.path ? -1 : 1)

const lockOf = async (nodes: readonly TreeNode[], registry: Registry, options: NpmOptions): Promise<PackageLock> => {
  const own = nodes.filter(({ isRoot, inBundle }) => !isRoot && !inBundle)
  if (own.length > limits.treePackages)
    throw new TreeRefused('too-large', `expected at most ${limits.treePackages} packages, got ${own.length}`)
  let bytes = 0
  const packages = await each(own, downloadsAtOnce, async (node): Promise<LockedPackage> => {
    const wanted = wantedOf(node, registry)
    const seen = await look(wanted, options)
    bytes += seen.bytes
    if (bytes > limits.treeBytes) throw new TreeRefused('too-large', `expected at most ${limits.treeBytes} bytes in all`)
    const { integrity, binaries, scripts } = seen
    return { ...wanted, path: node.location, integrity, binaries, scripts, bundled: bundledIn(nodes, node) }
  })
  return { packages: packages.toSorted(byPath), bytes }
}

/** `work`: a directory that is the caller's own. Throws `TreeRefused`. */
export const resolveTree = async (names: readonly string[], registry: Registry, work: string = tmpdir()): Promise<PackageLock> => {
  for (const name of names) refuseSpec(name, 'the request')
  const path = await mkdtemp(join(work, 'tree-'))
  try {
    const options = npmOptions(registry, path)
    await writeFile(join(path, 'package.json'), '{"private":true}')
    const nodes = await idealTree(names, options, path)
    for (const node of nodes) refuseStrangers(node)
    return await lockOf(nodes, registry, options)
  } finally {
    await rm(path, { recursive: true, force: true })
  }
}
