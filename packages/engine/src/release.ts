// Compares the release of an engine's program with the oldest that is trusted.
import { type EngineProgram, type EngineRelease, engineReleases } from '@gatehouse/contracts'
import { execa } from 'execa'
import { programPath } from '@gatehouse/kernel'

/** Empty where there is none. */
const numbersOf = (text: string): number[] => {
  const found = /\d+(\.\d+)+|\d{8}/.exec(text.replace(/^.*?0\.0~/s, ''))?.[0]
  return found === undefined ? [] : found.split('.').map(Number)
}

const isOlder = (found: readonly number[], least: readonly number[]): boolean => {
  for (const [index, wanted] of least.entries()) {
    const have = found[index] ?? 0
    if (have !== wanted) return have < wanted
  }
  return false
}

/** What is wrong with the release that `--version` printed, or null. A text without a number is taken as old. */
export const judgeRelease = (program: EngineProgram, printed: string): string | null => {
  const release: EngineRelease = engineReleases[program]
  const found = numbersOf(printed)
  if (found.length === 0) return `${program} does not tell its release: ${printed.slice(0, 80)}`
  if (release.repaired !== undefined && printed.includes(release.repaired)) return null
  if (!isOlder(found, release.least.split('.').map(Number))) return null
  return `${program} ${found.join('.')} is older than ${release.least}: ${release.fault}`
}

/** Runs the program. */
export const checkRelease = async (program: EngineProgram, file: string): Promise<string | null> => {
  const options = { reject: false, env: { PATH: programPath }, extendEnv: false, stdin: 'ignore', timeout: 10_000, cwd: '/' } as const
  const { stdout } = await execa(file, ['--version'], options)
  return judgeRelease(program, stdout)
}
