// Selects test files: those of a profile, unit tests, those whose path holds a pattern, or those that a change can affect.
import { execa } from 'execa'
import { type Profile, readProfile } from './profile.ts'
import { testFiles } from './sources.ts'
import { isUnitTest } from './unit-tests.ts'
import { type Package, readPackages, withDependents } from './workspace.ts'

export interface Selection {
  /** Absent: both profiles. */
  readonly profile?: Profile
  /** Only unit tests. */
  readonly unit?: boolean
  /** Parts of paths; empty: every path. */
  readonly patterns: readonly string[]
  /** Only tests of packages that differ from `main`, and of packages that depend on them. */
  readonly changed: boolean
}

const readLines = async (root: string, args: readonly string[]): Promise<string[]> =>
  (await execa('git', args, { cwd: root })).stdout.split('\n').filter((line) => line !== '')

/** Committed since the branch left `main`, changed in the work tree, or not tracked yet. */
const readChangedFiles = async (root: string): Promise<string[]> => {
  const [base = 'HEAD'] = await readLines(root, ['merge-base', 'HEAD', 'main'])
  const [differing, untracked] = await Promise.all([
    readLines(root, ['diff', '--name-only', base]),
    readLines(root, ['ls-files', '--others', '--exclude-standard']),
  ])
  return [...differing, ...untracked]
}

/** Folders of packages that hold one of the files, and of all that depend on them. */
export const affectedFolders = (packages: readonly Package[], files: readonly string[]): ReadonlySet<string> =>
  withDependents(
    packages,
    packages.filter(({ folder }) => files.some((file) => file.startsWith(`${folder}/`))),
  )

/** In the order in which they run. */
export const selectTests = async (root: string, { profile, unit = false, patterns, changed }: Selection): Promise<string[]> => {
  const named = testFiles(root)
    .filter((path) => patterns.length === 0 || patterns.some((pattern) => path.includes(pattern)))
    .filter((path) => profile === undefined || readProfile(root, path) === profile)
    .filter((path) => !unit || isUnitTest(root, path))
  if (!changed) return named
  const folders = affectedFolders(readPackages(root), await readChangedFiles(root))
  return named.filter((path) => folders.has(path.split('/').slice(0, 2).join('/')))
}
