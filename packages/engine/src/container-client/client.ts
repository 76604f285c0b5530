// Calls the client program of a container engine and interprets its errors.
import { setTimeout as delay } from 'node:timers/promises'
import type { HostIdentity } from '@gatehouse/contracts'
import { programPath } from '@gatehouse/kernel'
import { execa } from 'execa'

export interface Engine {
  readonly name: 'docker' | 'podman' | 'nerdctl'
  /** A description for people. */
  readonly label: string
  /** Absolute path of the client. */
  readonly file: string
  /** Arguments before every command. */
  readonly global: readonly string[]
  /** OCI runtime for `run`; null for the default or if `global` names it. */
  readonly runtime: string | null
  /** Whether the runtime is gVisor's `runsc`, whose own kernel counts tasks differently. */
  readonly gvisor: boolean
  /** False where the runtime does not accept a system call filter from the engine. */
  readonly filters: boolean
  /** False where the engine or its runtime does not enforce memory, processors and processes. */
  readonly limits: boolean
  /** False where it cannot create a container in an existing control group. */
  readonly takesParent: boolean
  /** The user of sandboxes instead of 65532, where the unit is not root. */
  readonly user: HostIdentity | null
}

/** Time limit in milliseconds of every command except `run`. */
const commandTime = 60_000

export interface Called {
  readonly ok: boolean
  readonly stdout: string
  readonly stderr: string
}

export const clientEnvironment = { PATH: programPath } as const

/** Never rejects: a missing, hanging or refusing engine is a result. */
export const callEngine = async (engine: Pick<Engine, 'file' | 'global'>, args: readonly string[]): Promise<Called> => {
  const result = await execa(engine.file, [...engine.global, ...args], {
    reject: false,
    stdin: 'ignore',
    env: clientEnvironment,
    timeout: commandTime,
    cwd: '/',
  })
  return { ok: !result.failed, stdout: result.stdout, stderr: result.stderr || (result.failed ? (result.shortMessage ?? '') : '') }
}

const removals = 10
const alreadyGone = /no such container|no container with (?:name|id)/i

/**
 * Kills and removes containers; missing ones are no error. Retries while the engine refuses, because the runtime may still be ending the
 * container or another removal may be in progress.
 */
export const removeContainers = async (engine: Pick<Engine, 'name' | 'file' | 'global'>, names: readonly string[]): Promise<Called> => {
  const args = ['rm', '--force', ...(engine.name === 'podman' ? ['--time', '0'] : []), ...names]
  let called = await callEngine(engine, args)
  for (let attempt = 1; attempt < removals && !called.ok; attempt += 1) {
    if (alreadyGone.test(called.stderr)) return { ...called, ok: true }
    await delay(attempt * 50)
    called = await callEngine(engine, args)
  }
  return called
}

/** Why Docker's client gets no answer. Its own message may describe an error of its template instead. */
export interface Silence {
  /** A predicate after "docker". */
  readonly reason: string
  /** The daemon runs, but this user may not access it. */
  readonly forbidden: boolean
}

const address = /\b(?:unix|tcp|ssh|https?):\/\/[\w./:@[\]-]*[\w/\]]/

/** @param stderr of any release of the client */
export const unresponsiveReason = (stderr: string): Silence => {
  const where = address.exec(stderr.replaceAll(/https?:\/\/%2F\S*/g, ''))?.[0]
  const at = where === undefined ? '' : ` at ${where}`
  return /permission denied/i.test(stderr)
    ? { reason: `has a daemon${at} that this user may not access`, forbidden: true }
    : { reason: `has no responding daemon${at}`, forbidden: false }
}
