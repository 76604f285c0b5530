// The packages of a checkout, and which of them depend on which.
import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isSkipped } from './sources.ts'

interface Manifest {
  readonly name: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
}

export interface Package {
  readonly folder: string
  readonly name: string
  /** Names of packages. */
  readonly dependencies: readonly string[]
}

const outward = /'(?:\.\.\/)+((?:packages|apps|tooling)\/[^/']+)\//g

/** Folders of other packages that a source leads into by a relative path. */
const foldersReached = (root: string, folder: string): ReadonlySet<string> =>
  new Set(
    globSync(`${folder}/{bin,src,test}/**/*.{ts,tsx}`, { cwd: root, exclude: isSkipped }).flatMap((path) =>
      [...readFileSync(join(root, path), 'utf8').matchAll(outward)].flatMap(([, reached]) => reached ?? []),
    ),
  )

/** Throws where a package has no readable manifest. */
export const readPackages = (root: string): Package[] => {
  const manifests = globSync(['packages/*/package.json', 'apps/*/package.json', 'tooling/*/package.json'], { cwd: root })
    .toSorted()
    .map((path) => ({ folder: dirname(path), ...(JSON.parse(readFileSync(join(root, path), 'utf8')) as Manifest) }))
  return manifests.map(({ folder, name, dependencies, devDependencies }) => {
    const reached = foldersReached(root, folder)
    const byPath = manifests.filter((other) => reached.has(other.folder)).map((other) => other.name)
    return { folder, name, dependencies: [...Object.keys({ ...dependencies, ...devDependencies }), ...byPath] }
  })
}

/** Folders of the packages, of all that depend on them, and of all that depend on those. */
export const withDependents = (packages: readonly Package[], changed: readonly Package[]): ReadonlySet<string> => {
  const affected = new Set(changed)
  for (const one of affected) for (const other of packages) if (other.dependencies.includes(one.name)) affected.add(other)
  return new Set([...affected].map(({ folder }) => folder))
}
