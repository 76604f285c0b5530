// What the bundles were made of: the npm packages whose code is in them, by the word of the bundler. A list of parts is made from it.
import { readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { dist } from './targets.ts'

export interface Bundled {
  /** File or folder below `dist`. */
  readonly program: string
  /** Absolute paths. */
  readonly modules: readonly string[]
}

interface Package {
  readonly name: string
  readonly version: string
  readonly license: string | null
}

/** Below `dist`. */
export const contentsFile = 'packages.json'

export const modulesOf = (output: readonly object[]): string[] =>
  output
    .flatMap((part) => ('moduleIds' in part && Array.isArray(part.moduleIds) ? part.moduleIds : []))
    .filter((id) => typeof id === 'string')
    .map((id) => id.replace(/^\0/, '').replace(/\?.*$/, ''))
    .filter((id) => id.startsWith('/'))

/** The nearest `package.json` with a name and a version: folders inside a package have some with neither. */
const packageAt = async (directory: string, known: Map<string, Package | null>): Promise<Package | null> => {
  const before = known.get(directory)
  if (before !== undefined) return before
  const text = await readFile(join(directory, 'package.json'), 'utf8').catch(() => null)
  const { name, version, license } = text === null ? {} : (JSON.parse(text) as Partial<Package>)
  const found =
    name !== undefined && version !== undefined
      ? { name, version, license: typeof license === 'string' ? license : null }
      : dirname(directory) === directory
        ? null
        : await packageAt(dirname(directory), known)
  known.set(directory, found)
  return found
}

const isOurs = ({ name }: Package): boolean => name === 'gatehouse' || name.startsWith('@gatehouse/')

/** Sorted by name and version, each with the programs that hold it. */
const packagesOf = async (bundled: readonly Bundled[]): Promise<(Package & { readonly programs: string[] })[]> => {
  const known = new Map<string, Package | null>()
  const rows = new Map<string, Package & { readonly programs: Set<string> }>()
  for (const { program, modules } of bundled) {
    for (const module of modules) {
      const found = await packageAt(dirname(module), known)
      if (found === null || isOurs(found)) continue
      const key = `${found.name}@${found.version}`
      const row = rows.get(key) ?? { ...found, programs: new Set<string>() }
      rows.set(key, row)
      row.programs.add(program)
    }
  }
  return [...rows.entries()].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => ({ ...row, programs: [...row.programs].toSorted() }))
}

export const writeContents = async (bundled: readonly Bundled[]): Promise<void> => {
  await writeFile(join(dist, contentsFile), `${JSON.stringify(await packagesOf(bundled), null, 2)}\n`)
}
