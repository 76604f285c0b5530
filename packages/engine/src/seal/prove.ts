// The seal, proved: a probe looks from inside, and limits are made to bite. What could not be seen counts as lacking.
import { randomBytes } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type HostIdentity, jsonBounds, limits } from '@gatehouse/contracts'
import { jsonText } from '@gatehouse/kernel'
import * as v from 'valibot'
import { type Control, controlNames, defaultLimits, type Driver, type Exit, type LaunchSpec, type Sandbox } from '../driver.ts'
import type { Facts } from './facts.ts'
import { evaluateSeal, type Verdict } from './judge.ts'
import { openTrialPlace, type TrialDisk, type TrialPlace } from './place.ts'

export interface Proof {
  readonly walls: Readonly<Record<Control, Verdict>>
  readonly lacking: readonly Control[]
  /** What went wrong with the probe itself. */
  readonly faults: readonly string[]
}

export interface ProofOptions {
  readonly driver: Driver
  /** What `prepare` returned. */
  readonly rootfs: string
  readonly unitId: string
  /** Host ids for the trial, no group's own; undefined where the unit is not root. */
  readonly identity: HostIdentity | undefined
  /** Private directory. */
  readonly home: string
  /** How the trial gets a disk, or why no group has one. */
  readonly disk: TrialDisk | { readonly refused: string }
  /** Ends the trial. */
  readonly signal: AbortSignal
}

/** Small enough to be met soon, large enough for Node to start. */
const small = { memoryMiB: 160, processes: 22, pids: 28, cpus: 0.1 } as const
const env = { GATEHOUSE_PROBE: 'yes' }

interface Trial extends ProofOptions {
  readonly place: TrialPlace
  readonly faults: string[]
}

const specOf = (
  { rootfs, unitId, identity, place }: Trial,
  command: readonly string[],
  part: Partial<LaunchSpec['limits']>,
): LaunchSpec => ({
  id: `probe-${randomBytes(3).toString('hex')}`,
  unitId,
  rootfs,
  command: ['/bin/node', ...command],
  env,
  mounts: place.mounts,
  identity,
  limits: { ...defaultLimits, ...part },
})

interface Ran {
  readonly lines: readonly string[]
  readonly exit: Exit
}

const launch = async (trial: Trial, command: readonly string[], part: Partial<LaunchSpec['limits']> = {}): Promise<Sandbox> => {
  trial.signal.throwIfAborted()
  const sandbox = await trial.driver.launch(specOf(trial, command, part))
  // An abort during the launch was heard by nobody.
  if (trial.signal.aborted) await sandbox.stop()
  trial.signal.throwIfAborted()
  const end = (): void => void sandbox.stop()
  trial.signal.addEventListener('abort', end, { once: true })
  void sandbox.exited.then(() => trial.signal.removeEventListener('abort', end))
  return sandbox
}

/** To its end, or until `act` has seen enough. */
const run = async (sandbox: Sandbox, act?: (line: string) => Promise<void>): Promise<Ran> => {
  const timer = setTimeout(() => void sandbox.stop(), limits.probeTime)
  const lines: string[] = []
  try {
    for await (const line of sandbox.output) {
      lines.push(line)
      await act?.(line)
    }
    return { lines, exit: await sandbox.exited }
  } finally {
    clearTimeout(timer)
    await sandbox.stop()
  }
}

const Seen = v.pipe(jsonText(jsonBounds.probeOutput), v.looseObject({ uid: v.number(), gid: v.number() }))

const look = async (trial: Trial): Promise<Facts | null> => {
  const { lines, exit } = await run(await launch(trial, ['/agent/probe.mjs']))
  const parsed = v.safeParse(Seen, lines.at(-1))
  // The probe is ours, and its shape is that of its own types.
  if (exit.code === 0 && parsed.success) return parsed.output as unknown as Facts
  trial.faults.push(`the probe ended with ${exit.code ?? exit.signal ?? exit.reason}: ${lines.join(' ').slice(0, 300)}`)
  return null
}

/** Whose the probe's own file is, seen from outside. */
const hasOwnUid = async ({ driver, identity, place }: Trial): Promise<boolean> => {
  const found = await stat(join(place.workspace, 'of-the-probe')).catch(() => null)
  const owner = driver.owner(identity)
  if (found === null || identity === undefined || owner === undefined) return false
  return found.uid === identity.uid && found.uid !== 0 && found.gid !== 0 && found.uid !== process.getuid?.()
}

const memoryBites = async (trial: Trial): Promise<boolean> => {
  const { exit } = await run(await launch(trial, ['/agent/load.mjs', 'memory'], { memoryMiB: small.memoryMiB }))
  return exit.reason === 'out-of-memory'
}

const Threads = v.pipe(jsonText(jsonBounds.probeOutput), v.object({ threads: v.number(), refused: v.boolean() }))

/** It is told to stop as soon as it has said how many threads it got. */
const processesBite = async (trial: Trial): Promise<boolean> => {
  const { processes, pids } = small
  const sandbox = await launch(trial, ['/agent/load.mjs', 'threads'], { processes, pids })
  let refused = false
  await run(sandbox, async (line) => {
    const parsed = v.safeParse(Threads, line)
    if (!parsed.success) return
    refused = parsed.output.refused
    await sandbox.stop()
  })
  return refused
}

/** Its start alone wants more than a tenth of a processor, however little is left over by others. */
const cpuBites = async (trial: Trial): Promise<boolean> => {
  const sandbox = await launch(trial, ['/agent/load.mjs', 'time'], { cpus: small.cpus })
  try {
    const deadline = performance.now() + limits.throttleTime
    while (performance.now() < deadline && !trial.signal.aborted) {
      if (((await sandbox.usage())?.throttledPeriods ?? 0) > 0) return true
      await pause(20)
    }
    return false
  } finally {
    await sandbox.stop()
  }
}

const Filled = v.pipe(jsonText(jsonBounds.probeOutput), v.object({ bytes: v.nullable(v.string()), files: v.nullable(v.string()) }))
const full: readonly (string | null)[] = ['ENOSPC', 'EDQUOT']

const diskBites = async (trial: Trial): Promise<boolean> => {
  if ('refused' in trial.disk) {
    trial.faults.push(`groups have no disks of their own: ${trial.disk.refused}`)
    return false
  }
  const { lines } = await run(await launch(trial, ['/agent/load.mjs', 'disk']))
  const parsed = v.safeParse(Filled, lines.at(-1))
  return parsed.success && full.includes(parsed.output.bytes) && full.includes(parsed.output.files)
}

const attempt = async <T>(trial: Trial, fallback: T, act: () => Promise<T>): Promise<T> => {
  try {
    return await act()
  } catch (error) {
    trial.faults.push(error instanceof Error ? error.message : String(error))
    return fallback
  }
}

const verdict = (holds: boolean): Verdict => (holds ? 'held' : 'lacking')

const probe = async (trial: Trial): Promise<Partial<Record<Control, Verdict>>> => {
  const facts = await attempt(trial, null, () => look(trial))
  const given = { env, mounts: trial.place.mounts, tmpMiB: limits.sandboxTmpMiB, kernel: trial.driver.kernel }
  return {
    ...(facts === null ? {} : evaluateSeal(facts, given)),
    'own-host-uid': verdict((await hasOwnUid(trial)) && facts !== null && facts.loginID !== 'settable'),
    'memory-limit': verdict(await attempt(trial, false, () => memoryBites(trial))),
    'process-limit': verdict(await attempt(trial, false, () => processesBite(trial))),
    'cpu-limit': verdict(await attempt(trial, false, () => cpuBites(trial))),
    'disk-limit': verdict(await attempt(trial, false, () => diskBites(trial))),
  }
}

/** Launches five sandboxes one after the other; rejects for nothing that they do. */
export const proveSeal = async (options: ProofOptions): Promise<Proof> => {
  const { driver, identity, home, disk, signal } = options
  signal.throwIfAborted()
  const place = await openTrialPlace(driver, { identity, home, disk: 'refused' in disk ? undefined : disk })
  const trial: Trial = { ...options, place, faults: [] }
  try {
    const seen = await probe(trial)
    const lacking = controlNames.filter((wall) => seen[wall] !== 'held')
    const every = Object.fromEntries(controlNames.map((wall) => [wall, verdict(seen[wall] === 'held')]))
    return { walls: every as Record<Control, Verdict>, lacking, faults: trial.faults }
  } finally {
    await place.remove()
  }
}
