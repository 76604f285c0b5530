// Leads an import to the file that it names inside the checkout, by the `exports` of the workspace's packages.
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

export type Target = { readonly kind: 'file'; readonly path: string } | { readonly kind: 'nowhere' } | { readonly kind: 'outside' }

interface Manifest {
  readonly name: string
  readonly exports?: Readonly<Record<string, string>>
}

/** Packages of this scope belong to the house whether or not they exist. */
const scope = '@gatehouse/'

export const createResolver = (root: string): ((from: string, specifier: string) => Target) => {
  const manifests = globSync(['packages/*/package.json', 'apps/*/package.json', 'tooling/*/package.json'], { cwd: root })
  const packages = new Map(
    manifests.map((path) => {
      const manifest = JSON.parse(readFileSync(join(root, path), 'utf8')) as Manifest
      return [manifest.name, { folder: dirname(path), exports: manifest.exports ?? {} }] as const
    }),
  )
  const file = (path: string): Target => (existsSync(join(root, path)) ? { kind: 'file', path } : { kind: 'nowhere' })

  return (from, specifier) => {
    if (specifier.startsWith('.')) return file(normalize(join(dirname(from), specifier)))
    const name = specifier
      .split('/')
      .slice(0, specifier.startsWith('@') ? 2 : 1)
      .join('/')
    const found = packages.get(name)
    if (found === undefined) return specifier.startsWith(scope) ? { kind: 'nowhere' } : { kind: 'outside' }
    const target = found.exports[`.${specifier.slice(name.length)}`]
    return target === undefined ? { kind: 'nowhere' } : file(normalize(join(found.folder, target)))
  }
}
