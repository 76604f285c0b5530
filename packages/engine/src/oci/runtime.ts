// Calls an OCI runtime of the host (`runsc` or `runc`) directly, with a separate state directory.
import { jsonBounds, ServiceError } from '@gatehouse/contracts'
import { jsonText, programPath } from '@gatehouse/kernel'
import { execa } from 'execa'
import * as v from 'valibot'
import type { Driver, LaunchSpec } from '../driver.ts'
import { renderOci } from '../seccomp/filter.ts'
import { tryLaunch } from '../choice.ts'

export interface Runtime {
  readonly name: 'runsc' | 'runc'
  /** Absolute path. */
  readonly file: string
  /** Its state directory. */
  readonly root: string
  /** `runsc` needs them for every subcommand. */
  readonly flags: readonly string[]
}

export interface Answer {
  readonly ok: boolean
  readonly stdout: string
  readonly stderr: string
}

const callTime = 30_000
export const runtimeEnvironment = { PATH: programPath } as const

/** Arguments before the subcommand. */
export const globalArguments = ({ root, flags }: Runtime): string[] => ['--root', root, ...flags]

/** Never rejects. */
export const callRuntime = async (runtime: Runtime, args: readonly string[]): Promise<Answer> => {
  const result = await execa(runtime.file, [...globalArguments(runtime), ...args], {
    reject: false,
    stdin: 'ignore',
    env: runtimeEnvironment,
    extendEnv: false,
    timeout: callTime,
    cwd: '/',
  })
  return { ok: !result.failed, stdout: result.stdout, stderr: result.stderr || (result.failed ? (result.shortMessage ?? '') : '') }
}

const Containers = v.nullable(
  v.array(v.looseObject({ id: v.string(), annotations: v.optional(v.nullable(v.record(v.string(), v.string()))) })),
)
export const unitAnnotation = 'gatehouse.unit'

/** Ids of the containers in its state directory with the unit's label. */
export const listContainers = async (runtime: Runtime, unitId: string): Promise<string[]> => {
  const { stdout } = await callRuntime(runtime, ['list', '--format', 'json'])
  const parsed = v.safeParse(v.pipe(jsonText(jsonBounds.engineOutput), Containers), stdout)
  if (!parsed.success) return []
  return (parsed.output ?? []).filter(({ annotations }) => annotations?.[unitAnnotation] === unitId).map(({ id }) => id)
}

/** A program that creates threads and ends at once. */
const trial = ['/bin/node', '-e', '0'] as const

type LaunchUnder = (seccomp: object) => Driver['launch']

/**
 * Node aborts where `clone3` is refused with an error other than ENOSYS. For a runtime that cannot return ENOSYS the call is allowed: its
 * kernel does not have it, and the probe verifies that no namespace can be created.
 */
export const chooseRendering = async (launchUnder: LaunchUnder, place: Pick<LaunchSpec, 'rootfs' | 'unitId'>): Promise<object> => {
  const faults: string[] = []
  for (const rendering of [renderOci(), renderOci({ passed: ['clone3'] })]) {
    const fault = await tryLaunch(launchUnder(rendering), { ...place, command: trial })
    if (fault === null) return rendering
    faults.push(fault)
  }
  throw new ServiceError('no-sandbox', { detail: `a trial sandbox failed: ${faults.join('; then ')}`, hint: 'see the log of the unit' })
}
