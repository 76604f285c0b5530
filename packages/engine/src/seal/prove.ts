// Proves the seal: a probe collects facts inside a sandbox, and each limit is provoked. What could not be observed counts as missing, and
// is reported separately: a host that is too busy for a trial proves nothing about the seal.
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
  /** Of these, what the host was too busy to show either way. */
  readonly unseen: readonly Control[]
  /** Errors of the probe itself. */
  readonly faults: readonly string[]
}

export interface ProofOptions {
  readonly driver: Driver
  /** The result of `prepare`. */
  readonly rootfs: string
  readonly unitId: string
  /** Host ids for the trial, not used by any group; undefined where the unit is not root. */
  readonly identity: HostIdentity | undefined
  /** Private directory. */
  readonly home: string
  /** How the trial gets a disk, or why groups have none. */
  readonly disk: TrialDisk | { readonly refused: string }
  /** Ends the trial. */
  readonly signal: AbortSignal
}

/** Small enough to be reached soon, large enough for Node to start. */
const small = { memoryMiB: 160, processes: 22, pids: 28, cpus: 0.1 } as const
const env = { GATEHOUSE_PROBE: 'yes' }

interface Trial extends ProofOptions {
  readonly place: TrialPlace
  readonly faults: string[]
}

/** Of one control, or of the facts that several are judged by: undefined where time was over before anything was seen. */
type Seen<T> = T | undefined

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
  /** It was ended before its own end. */
  readonly isCut: boolean
}

const launch = async (trial: Trial, command: readonly string[], part: Partial<LaunchSpec['limits']> = {}): Promise<Sandbox> => {
  trial.signal.throwIfAborted()
  const sandbox = await trial.driver.launch(specOf(trial, command, part))
  // An abort during the launch had no listener yet.
  if (trial.signal.aborted) await sandbox.stop()
  trial.signal.throwIfAborted()
  const end = (): void => void sandbox.stop()
  trial.signal.addEventListener('abort', end, { once: true })
  void sandbox.exited.then(() => trial.signal.removeEventListener('abort', end))
  return sandbox
}

/** Runs to the end, or until `act` returns. */
const run = async (sandbox: Sandbox, act?: (line: string) => Promise<void>): Promise<Ran> => {
  let isCut = false
  const timer = setTimeout(() => {
    isCut = true
    void sandbox.stop()
  }, limits.probeTime)
  const lines: string[] = []
  try {
    for await (const line of sandbox.output) {
      lines.push(line)
      await act?.(line)
    }
    return { lines, exit: await sandbox.exited, isCut }
  } finally {
    clearTimeout(timer)
    await sandbox.stop()
  }
}

const Look = v.pipe(jsonText(jsonBounds.probeOutput), v.looseObject({ uid: v.number(), gid: v.number() }))

const look = async (trial: Trial): Promise<Seen<Facts | null>> => {
  const { lines, exit, isCut } = await run(await launch(trial, ['/agent/probe.mjs']))
  const parsed = v.safeParse(Look, lines.at(-1))
  // The output has the type that the probe declares.
  if (exit.code === 0 && parsed.success) return parsed.output as unknown as Facts
  trial.faults.push(`the probe exited with ${exit.code ?? exit.signal ?? exit.reason}: ${lines.join(' ').slice(0, 300)}`)
  return isCut ? undefined : null
}

/** Owner of the probe's file on the host. */
const hasOwnUid = async ({ driver, identity, place }: Trial): Promise<boolean> => {
  const found = await stat(join(place.workspace, 'of-the-probe')).catch(() => null)
  const owner = driver.owner(identity)
  if (found === null || identity === undefined || owner === undefined) return false
  return found.uid === identity.uid && found.uid !== 0 && found.gid !== 0 && found.uid !== process.getuid?.()
}

const memoryBites = async (trial: Trial): Promise<Seen<boolean>> => {
  const { exit, isCut } = await run(await launch(trial, ['/agent/load.mjs', 'memory'], { memoryMiB: small.memoryMiB }))
  if (exit.reason === 'out-of-memory') return true
  return isCut ? undefined : false
}

const Threads = v.pipe(jsonText(jsonBounds.probeOutput), v.object({ threads: v.number(), refused: v.boolean() }))

/** Stopped as soon as it has reported the number of its threads. */
const processesBite = async (trial: Trial): Promise<Seen<boolean>> => {
  const { processes, pids } = small
  const sandbox = await launch(trial, ['/agent/load.mjs', 'threads'], { processes, pids })
  let refused: Seen<boolean>
  const { isCut } = await run(sandbox, async (line) => {
    const parsed = v.safeParse(Threads, line)
    if (!parsed.success) return
    refused = parsed.output.refused
    await sandbox.stop()
  })
  return refused ?? (isCut ? undefined : false)
}

const Taken = v.pipe(jsonText(jsonBounds.probeOutput), v.object({ processorSeconds: v.number() }))

/** Seconds of processor time that it says it got so far. */
const followTime = (sandbox: Sandbox): (() => number) => {
  let taken = 0
  const follow = async (): Promise<void> => {
    for await (const line of sandbox.output) {
      const parsed = v.safeParse(Taken, line)
      if (parsed.success) taken = parsed.output.processorSeconds
    }
  }
  void follow().catch(() => undefined)
  return () => taken
}

/** Its start alone wants more than a tenth of a processor. Where the host gives it less than that, nothing can hold it back. */
const cpuBites = async (trial: Trial): Promise<Seen<boolean>> => {
  const sandbox = await launch(trial, ['/agent/load.mjs', 'time'], { cpus: small.cpus })
  const getTaken = followTime(sandbox)
  try {
    const deadline = performance.now() + limits.throttleTime
    while (performance.now() < deadline && !trial.signal.aborted) {
      if (((await sandbox.usage())?.throttledPeriods ?? 0) > 0) return true
      await pause(20)
    }
    return getTaken() < (small.cpus * limits.throttleTime) / 1_000 ? undefined : false
  } finally {
    await sandbox.stop()
  }
}

const Filled = v.pipe(jsonText(jsonBounds.probeOutput), v.object({ bytes: v.nullable(v.string()), files: v.nullable(v.string()) }))
const full: readonly (string | null)[] = ['ENOSPC', 'EDQUOT']

const diskBites = async (trial: Trial): Promise<Seen<boolean>> => {
  if ('refused' in trial.disk) {
    trial.faults.push(`groups have no separate disks: ${trial.disk.refused}`)
    return false
  }
  const { lines, isCut } = await run(await launch(trial, ['/agent/load.mjs', 'disk']))
  const parsed = v.safeParse(Filled, lines.at(-1))
  if (!parsed.success && isCut) return undefined
  return parsed.success && full.includes(parsed.output.bytes) && full.includes(parsed.output.files)
}

const attempt = async <T>(trial: Trial, fallback: NoInfer<T>, act: () => Promise<T>): Promise<T> => {
  try {
    return await act()
  } catch (error) {
    trial.faults.push(error instanceof Error ? error.message : String(error))
    return fallback
  }
}

const toVerdict = (holds: boolean): Verdict => (holds ? 'held' : 'lacking')

interface Judged {
  readonly verdicts: Partial<Record<Control, Verdict>>
  readonly unseen: readonly Control[]
}

const probe = async (trial: Trial): Promise<Judged> => {
  const facts = await attempt(trial, null, () => look(trial))
  const given = { env, mounts: trial.place.mounts, tmpMiB: limits.sandboxTmpMiB, kernel: trial.driver.kernel }
  const isOwn = (await hasOwnUid(trial)) && facts?.loginID !== 'settable'
  const bites: Partial<Record<Control, Seen<boolean>>> = {
    'memory-limit': await attempt(trial, false, () => memoryBites(trial)),
    'process-limit': await attempt(trial, false, () => processesBite(trial)),
    'cpu-limit': await attempt(trial, false, () => cpuBites(trial)),
    'disk-limit': await attempt(trial, false, () => diskBites(trial)),
  }
  const isFound = facts !== null && facts !== undefined
  return {
    verdicts: {
      ...(isFound ? evaluateSeal(facts, given) : {}),
      'own-host-uid': toVerdict(isFound && isOwn),
      ...Object.fromEntries(Object.entries(bites).map(([name, bite]) => [name, toVerdict(bite === true)])),
    },
    unseen: controlNames.filter((name) => (name in bites ? bites[name] : facts) === undefined),
  }
}

/** Launches five sandboxes one after the other. Never rejects because of their behaviour. */
export const proveSeal = async (options: ProofOptions): Promise<Proof> => {
  const { driver, identity, home, disk, signal } = options
  signal.throwIfAborted()
  const place = await openTrialPlace(driver, { identity, home, disk: 'refused' in disk ? undefined : disk })
  const trial: Trial = { ...options, place, faults: [] }
  try {
    const { verdicts, unseen } = await probe(trial)
    const lacking = controlNames.filter((wall) => verdicts[wall] !== 'held')
    const every = Object.fromEntries(controlNames.map((wall) => [wall, toVerdict(verdicts[wall] === 'held')]))
    return { walls: every as Record<Control, Verdict>, lacking, unseen, faults: trial.faults }
  } finally {
    await place.remove()
  }
}
