// Every test file is in one profile: no marker is misspelt, and no file lies where no profile looks.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Check, fromFindings } from './check.ts'
import { findWrongMarkers, profileOf } from './profile.ts'
import { isSkipped, testFiles } from './sources.ts'

/** Files that are named like tests and lie where no profile looks for them. */
const findLost = (root: string, files: readonly string[]): string[] =>
  globSync('{packages,apps,tooling}/**/*.{test,spec}.*', { cwd: root, exclude: isSkipped })
    .filter((path) => !isSkipped(path) && !files.includes(path))
    .toSorted()
    .map((path) => `${path}: no profile runs it; a test is a file test/**/*.test.ts of its package`)

export const profiles: Check = {
  name: 'profiles',
  async run({ root }) {
    const files = testFiles(root)
    const texts = files.map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
    const rest = texts.filter(({ text }) => profileOf(text) === 'rest').length
    const findings = [...texts.flatMap(({ path, text }) => findWrongMarkers(path, text)), ...findLost(root, files)]
    return { ...fromFindings(findings), figures: `${files.length - rest} files of tests in the default profile, ${rest} in the rest` }
  },
}
