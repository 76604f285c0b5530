// Resolves names to a whole tree, each tarball looked into. Registry sources alone: no git, address, file or alias, at any depth.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { limits, type LockedPackage, type PackageLock } from '@gatehouse/contracts'
import { Arborist, type TreeNode } from '@npmcli/arborist'
import parse from 'npm-package-arg'
import type { Wanted } from './download.ts'
import { each } from './each.ts'
import { look } from './look.ts'
import { type NpmOptions, npmOptions } from './options.ts'
import { toRefused, TreeRefused } from './refused.ts'
import { type Registry, tarballUrl } from './registry.ts'

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
