// Resolves names to a complete tree and inspects each tarball. Only registry sources are allowed at any depth: no git, URL, file or alias.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isObject, jsonBounds, limits, type LockedPackage, type PackageLock } from '@gatehouse/contracts'
import { parseJson } from '@gatehouse/kernel'
import { Arborist, type TreeNode } from '@npmcli/arborist'
import parse from 'npm-package-arg'
import { type ArchivedFile, readArchive } from './archive.ts'
import { download, computeIntegrity, type TarballRequest } from './download.ts'
import { each } from './each.ts'
import { type NpmOptions, npmOptions, type Registry, tarballUrl } from './registry.ts'
import { toRefused, TreeRefused } from './task.ts'

interface InspectedPackage extends Pick<LockedPackage, 'integrity' | 'binaries' | 'scripts'> {
  readonly bytes: number
}

const installScripts = ['preinstall', 'install', 'postinstall'] as const
const maxListed = 64

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
    throw new TreeRefused('bad-archive', 'package.json is not valid JSON', error)
  }
}

/** Install scripts of the package and of its bundled packages. npm builds a `binding.gyp` without a script. */
const findInstallScripts = (files: readonly ArchivedFile[]): string[] =>
  files.flatMap(({ path, content }) => {
    const folder = path.slice(0, path.lastIndexOf('/') + 1)
    if (!/^(?:node_modules\/.*\/)?$/.test(folder) || folder.endsWith('/node_modules/')) return []
    if (path === `${folder}binding.gyp`) return [`${folder}binding.gyp`]
    if (path !== `${folder}package.json`) return []
    const manifest = parseManifest(content)
    const scripts = isObject(manifest) && isObject(manifest['scripts']) ? manifest['scripts'] : {}
    return installScripts.filter((name) => name in scripts).map((name) => `${folder}${name}`)
  })

const inspectPackage = async (request: TarballRequest, options: NpmOptions): Promise<InspectedPackage> => {
  const tarball = await download(request, options)
  const files = await readArchive(tarball)
  return {
    integrity: computeIntegrity(tarball),
    binaries: files
      .filter(isBinary)
      .map(({ path }) => path)
      .toSorted()
      .slice(0, maxListed),
    scripts: findInstallScripts(files).toSorted().slice(0, maxListed),
    bytes: files.reduce((sum, { content }) => sum + content.byteLength, 0),
  }
}

const downloadsAtOnce = 4
const fromRegistry: readonly string[] = ['version', 'range', 'tag']

const parseType = (spec: string): string => {
  try {
    return parse(spec).type
  } catch (error) {
    throw new TreeRefused('bad-name', `invalid package name ${JSON.stringify(spec.slice(0, 200))}`, error)
  }
}

const refuseSpec = (spec: string, by: string): void => {
  const type = parseType(spec)
  if (!fromRegistry.includes(type)) {
    throw new TreeRefused(
      'not-from-registry',
      `${by} depends on ${spec.slice(0, 200)} (${type}); only packages from the registry are allowed`,
    )
  }
}

const getTitle = ({ isRoot, packageName, version }: TreeNode): string =>
  isRoot ? 'the request' : `${packageName ?? 'a package'}@${version}`

/** Optional dependencies are checked too: one that is missing today could be installed tomorrow. */
const assertRegistryOnly = (node: TreeNode): void => {
  if (node.isLink) throw new TreeRefused('not-from-registry', `${getTitle(node)} is a link`)
  for (const { name, spec, error, type } of node.edgesOut.values()) {
    refuseSpec(`${name}@${spec}`, getTitle(node))
    if (error !== null && !/optional/i.test(type))
      throw new TreeRefused('conflict', `${getTitle(node)} depends on ${name}@${spec}: ${error}`)
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

const toRequest = (node: TreeNode, registry: Registry): TarballRequest => {
  const { packageName, version, resolved, integrity } = node
  if (packageName === null || resolved === null || integrity === null) {
    throw new TreeRefused('wrong-integrity', `the registry has no digest of ${getTitle(node)}`)
  }
  return { name: packageName, version, tarball: tarballUrl(registry.url, resolved), integrity }
}

const bundledIn = (nodes: readonly TreeNode[], bundler: TreeNode): string[] =>
  nodes
    .filter((node) => node.inBundle && node.getBundler() === bundler)
    .map(getTitle)
    .toSorted()

const byPath = (a: LockedPackage, b: LockedPackage): number => (a.path < b.path ? -1 : 1)

const buildLock = async (nodes: readonly TreeNode[], registry: Registry, options: NpmOptions): Promise<PackageLock> => {
  const packageNodes = nodes.filter(({ isRoot, inBundle }) => !isRoot && !inBundle)
  if (packageNodes.length > limits.treePackages)
    throw new TreeRefused('too-large', `the tree has ${packageNodes.length} packages, the maximum is ${limits.treePackages}`)
  let bytes = 0
  const packages = await each(packageNodes, downloadsAtOnce, async (node): Promise<LockedPackage> => {
    const request = toRequest(node, registry)
    const inspected = await inspectPackage(request, options)
    bytes += inspected.bytes
    if (bytes > limits.treeBytes) throw new TreeRefused('too-large', `the tree is larger than ${limits.treeBytes} bytes`)
    const { integrity, binaries, scripts } = inspected
    return { ...request, path: node.location, integrity, binaries, scripts, bundled: bundledIn(nodes, node) }
  })
  return { packages: packages.toSorted(byPath), bytes }
}

/** Rejects with `TreeRefused`. @param work a private directory of the caller */
export const resolveTree = async (names: readonly string[], registry: Registry, work: string = tmpdir()): Promise<PackageLock> => {
  for (const name of names) refuseSpec(name, 'the request')
  const path = await mkdtemp(join(work, 'tree-'))
  try {
    const options = npmOptions(registry, path)
    await writeFile(join(path, 'package.json'), '{"private":true}')
    const nodes = await idealTree(names, options, path)
    for (const node of nodes) assertRegistryOnly(node)
    return await buildLock(nodes, registry, options)
  } finally {
    await rm(path, { recursive: true, force: true })
  }
}
