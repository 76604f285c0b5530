// What packages offer: names, one by one, of their own sources. Fixtures of tests lie in tooling/testkit, which is never shipped.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Link } from './links.ts'
import type { Module } from './modules.ts'
import { lineOf } from './syntax.ts'

interface Manifest {
  readonly exports?: Readonly<Record<string, string>>
  readonly dependencies?: Readonly<Record<string, string>>
}

const testkit = 'tooling/testkit/'
const shipped = /^(?:packages|apps)\/[^/]+\/(?:src|bin)\//
/** Tooling whose programs make or describe what is shipped. */
const builders = /^tooling\/(?:build|images|release|sbom)\/src\//

const manifestFindings = (root: string): string[] =>
  globSync(['packages/*/package.json', 'apps/*/package.json'], { cwd: root }).flatMap((path) => {
    const { exports = {}, dependencies = {} } = JSON.parse(readFileSync(join(root, path), 'utf8')) as Manifest
    const outside = Object.entries(exports).filter(([, target]) => !target.startsWith('./src/'))
    return [
      ...outside.map(([name]) => `${path}: export ${name} lies outside src; fixtures of tests go to tooling/testkit`),
      ...(Object.hasOwn(dependencies, '@gatehouse/testkit') ? [`${path}: the testkit belongs to devDependencies`] : []),
    ]
  })

const importFindings = (links: readonly Link[]): string[] =>
  links
    .filter(({ from, to }) => to.startsWith(testkit) && (shipped.test(from) || builders.test(from)))
    .map(({ from, to, line }) => `${from}:${line} → ${to}: shipped code never imports the testkit`)

/** `export *` hides what a package offers. */
const starFindings = (modules: readonly Module[]): string[] =>
  modules.flatMap(({ path, nodes, source }) =>
    nodes
      .filter(({ type }) => type === 'ExportAllDeclaration' && shipped.test(path))
      .map((node) => `${path}:${lineOf(node, source)}: export * hides what is exported; list the names`),
  )

export const exportFindings = (root: string, modules: readonly Module[], links: readonly Link[]): string[] => [
  ...manifestFindings(root),
  ...importFindings(links),
  ...starFindings(modules),
]
