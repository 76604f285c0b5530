// The tree of packages that a flat lock file stands for.
import type { LockedPackage } from '@gatehouse/contracts'

export interface PackageNode {
  readonly locked: LockedPackage
  readonly children: readonly PackageNode[]
}

const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/node_modules/')))

export const packageTree = (packages: readonly LockedPackage[]): PackageNode[] => {
  const below = Map.groupBy(packages, ({ path }) => parentOf(path))
  const nodesAt = (path: string): PackageNode[] => (below.get(path) ?? []).map((locked) => ({ locked, children: nodesAt(locked.path) }))
  return nodesAt('')
}
