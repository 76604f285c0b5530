// Lists the TypeScript files of a checkout, by path from its root.
import { globSync } from 'node:fs'

const roots = ['packages', 'apps', 'tooling']
const skipped = /(^|\/)(node_modules|dist|\.cache|fixtures\/violations)(\/|$)/

export const isSkipped = (path: string): boolean => skipped.test(path)

/** Generated files follow their generator, not the rules for hands. */
export const isGenerated = (path: string): boolean => /(^|\/)generated\//.test(path) || path.endsWith('.generated.ts')

export const sourceFiles = (root: string): string[] =>
  globSync(
    roots.map((folder) => `${folder}/**/*.{ts,tsx}`),
    { cwd: root, exclude: isSkipped },
  )
    .filter((path) => !isSkipped(path))
    .toSorted()

/** Tests of packages first, then of apps, then of the tooling. */
export const testFiles = (root: string): string[] => {
  const tests = sourceFiles(root).filter((path) => /^(packages|apps|tooling)\/[^/]+\/test\/.*\.test\.ts$/.test(path))
  return roots
    .toSorted((a, b) => roots.indexOf(a) - roots.indexOf(b))
    .flatMap((folder) => tests.filter((path) => path.startsWith(`${folder}/`)))
}
