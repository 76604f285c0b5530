// oxlint with the rules that need types. A package is linted where it, a package that it depends on, or the configuration differs
// from when it last passed: types take half a minute of processor time for the whole tree.
import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Check } from './check.ts'
import { runProgram } from './program.ts'
import { isSkipped } from './sources.ts'
import { readPackages, withDependents } from './workspace.ts'

const configuration = ['.oxlintrc.json', 'tsconfig*.json', 'pnpm-lock.yaml', 'package.json', '{packages,apps,tooling}/*/tsconfig*.json']

type Digests = Readonly<Record<string, string>>

const digest = (root: string, patterns: readonly string[], salt = ''): string => {
  const hash = createHash('sha256').update(salt)
  for (const path of globSync(patterns, { cwd: root, exclude: isSkipped }).toSorted())
    if (!isSkipped(path))
      hash
        .update(`${path}\0`)
        .update(readFileSync(join(root, path)))
        .update('\0')
  return hash.digest('hex')
}

const readDigests = (root: string): Digests => {
  const salt = digest(root, configuration)
  const code = '{ts,tsx,mts,cts,js,jsx,mjs,cjs,json}'
  return Object.fromEntries(readPackages(root).map(({ folder }) => [folder, digest(root, [`${folder}/**/*.${code}`], salt)]))
}

const passedFile = (root: string): string => join(root, '.cache/linted.json')

const readPassed = (root: string): Digests => {
  const path = passedFile(root)
  try {
    return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Digests) : {}
  } catch {
    return {}
  }
}

const writePassed = (root: string, digests: Digests): void => {
  mkdirSync(dirname(passedFile(root)), { recursive: true })
  writeFileSync(passedFile(root), JSON.stringify(digests))
}

export const lint: Check = {
  name: 'lint',
  async run({ root }) {
    const [now, passed] = [readDigests(root), readPassed(root)]
    const packages = readPackages(root)
    const stale = withDependents(
      packages,
      packages.filter(({ folder }) => now[folder] !== passed[folder]),
    )
    if (stale.size === 0 && packages.length > 0) return { ok: true, report: '', figures: 'nothing differs from when it passed' }
    // The whole tree without a list of folders, so that also what lies in none of them is linted.
    const folders = stale.size === packages.length ? [] : [...stale]
    const outcome = await runProgram('oxlint', ['--type-aware', '--format=unix', ...folders], { cwd: root })
    if (outcome.ok) writePassed(root, now)
    return { ...outcome, figures: `${stale.size} of ${packages.length} packages` }
  },
}
