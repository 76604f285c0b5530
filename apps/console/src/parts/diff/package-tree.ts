// A flat lock as the tree that it stands for: each package below the one in whose directory it lies.
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
