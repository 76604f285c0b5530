// What a driver is chosen by: its release is trusted, and it ran a trivial program through all of its walls.
import { randomBytes } from 'node:crypto'
import { type ContainerEngine, type EngineProgram, type EngineRelease, engineReleases, limits, type Mode } from '@gatehouse/contracts'
import { type Logger, programPath } from '@gatehouse/kernel'
import { execa } from 'execa'
import { defaultLimits, type Driver, type LaunchSpec } from './driver.ts'

export interface ChooseOptions {
  readonly mode: Mode
  /** The only container engine to try; null: each in turn. */
  readonly engine: ContainerEngine | null
  /** OCI runtime name for the container engine; null: the engine's default. */
  readonly runtime: string | null
  /** Path of the agent's bundle on the host, for the driver that has no root file system. */
  readonly agent: string
  /** Private directory, not on a network, for bundles and mount tables. Made when it is needed. */
  readonly home: string
  /** What a trial carries, so that the next start finds what is left of it. */
  readonly unitId: string
  /** Called before the first container is made by an engine. */
  readonly onEngine?: (engine: ContainerEngine) => Promise<void>
  /** Accepts releases of engines that are older than the oldest that is trusted. */
  readonly allowOldEngine: boolean
  readonly log: Logger
}

/** A driver, or why there is none and what to do about it. */
export type Choice =
  | { readonly driver: Driver; /** What is wrong with its release. */ readonly old?: string }
  | { readonly refused: string }

/** Null when it ran, else what it said. */
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
  return exit.code === 0 ? null : lines.join(' ').slice(0, 500) || `it ended with ${exit.code ?? exit.signal ?? exit.reason}`
}

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
