// The criteria for a driver: its release is trusted, and a trivial program ran in a sandbox with all controls.
import { randomBytes } from 'node:crypto'
import { type ContainerEngine, type EngineProgram, type EngineRelease, engineReleases, limits, type Mode } from '@gatehouse/contracts'
import { type Logger, programPath } from '@gatehouse/kernel'
import { execa } from 'execa'
import { defaultLimits, type Driver, type LaunchSpec } from './driver.ts'

export interface ChooseOptions {
  readonly mode: Mode
  /** The only container engine to try; null tries each in order. */
  readonly engine: ContainerEngine | null
  /** OCI runtime name for the container engine; null for the engine's default. */
  readonly runtime: string | null
  /** Path of the agent bundle on the host, for the driver without a root file system. */
  readonly agent: string
  /** Private local directory for bundles and mount tables. Created on demand. */
  readonly home: string
  /** Label of trials, so that the next start finds what is left of them. */
  readonly unitId: string
  /** Called before an engine creates its first container. */
  readonly onEngine?: (engine: ContainerEngine) => Promise<void>
  /** Whether to accept engine releases older than the oldest trusted one. */
  readonly allowOldEngine: boolean
  readonly log: Logger
}

/** A driver, or the reason why there is none with its fix. */
export type Choice =
  | { readonly driver: Driver; /** What is wrong with its release. */ readonly old?: string }
  | { readonly refused: string }

/** Null when the trial ran, otherwise its output. */
export const tryLaunch = async (
  launch: Driver['launch'],
  given: Pick<LaunchSpec, 'rootfs' | 'command' | 'unitId'>,
): Promise<string | null> => {
  const sandbox = await launch({
    id: `trial-${process.pid}-${randomBytes(4).toString('hex')}`,
    ...given,
    env: {},
    mounts: [],
    limits: defaultLimits,
  })
  const timer = setTimeout(() => void sandbox.stop(), limits.probeTime)
  const lines: string[] = []
  for await (const line of sandbox.output) lines.push(line)
  const exit = await sandbox.exited
  clearTimeout(timer)
  return exit.code === 0 ? null : lines.join(' ').slice(0, 500) || `exit: ${exit.code ?? exit.signal ?? exit.reason}`
}

/** The numbers of a release; empty where there is none. */
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

/** What is wrong with the release printed by `--version`, or null. A text without a number counts as old. */
export const judgeRelease = (program: EngineProgram, printed: string): string | null => {
  const release: EngineRelease = engineReleases[program]
  const found = numbersOf(printed)
  if (found.length === 0) return `${program} does not report its release: ${printed.slice(0, 80)}`
  if (release.repaired !== undefined && printed.includes(release.repaired)) return null
  if (!isOlder(found, release.least.split('.').map(Number))) return null
  return `${program} ${found.join('.')} is older than ${release.least}: ${release.fault}`
}

/** Runs `--version` of the program. */
export const checkRelease = async (program: EngineProgram, file: string): Promise<string | null> => {
  const options = { reject: false, env: { PATH: programPath }, extendEnv: false, stdin: 'ignore', timeout: 10_000, cwd: '/' } as const
  const { stdout } = await execa(file, ['--version'], options)
  return judgeRelease(program, stdout)
}
