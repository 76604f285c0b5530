// Unit tests: those of packages and apps that need nothing which a machine may lack, neither root nor an engine, a browser or a build,
// and that start no program. What a test needs is told from its source and from the fixtures that it imports.
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

const signs = [
  // Where something lacks.
  /\bskip(?:: (?!\[)|\s*[,}]|\()/,
  /\bgete?uid\b/,
  // A program.
  /'(?:node:child_process|execa)'/,
  // A browser, a whole unit, or what the build made.
  /'playwright-core'|'@gatehouse\/end-to-end'|['/]dist['/]/,
]

const imported = /(?:from|import|import\() ?'(\.{1,2}\/[^']+)'/g

/** Fixtures only: a shipped source says nothing about what its test needs. */
const isFixture = (path: string): boolean => /^(?:packages|apps|tooling)\/[^/]+\/test\//.test(path)

/** The first file on the way from a test through its fixtures that shows a need, or undefined. */
export const findNeed = (root: string, test: string): string | undefined => {
  const reached = new Set([test])
  for (const path of reached) {
    const text = readFileSync(join(root, path), 'utf8')
    if (signs.some((sign) => sign.test(text))) return path
    for (const [, to = ''] of text.matchAll(imported)) {
      const next = normalize(join(dirname(path), to))
      if (isFixture(next) && existsSync(join(root, next))) reached.add(next)
    }
  }
  return undefined
}

export const isUnitTest = (root: string, path: string): boolean => !path.startsWith('tooling/') && findNeed(root, path) === undefined
