// The only way to call the client program of a container engine, and what its errors mean.
import { setTimeout as delay } from 'node:timers/promises'
import type { HostIdentity } from '@gatehouse/contracts'
import { programPath } from '@gatehouse/kernel'
import { execa } from 'execa'

export interface Engine {
  readonly name: 'docker' | 'podman' | 'nerdctl'
  /** For people. */
  readonly label: string
  /** Absolute path of the client. */
  readonly file: string
  /** Arguments before every command. */
  readonly global: readonly string[]
  /** OCI runtime to ask for in `run`; null: the default, or said in `global` already. */
  readonly runtime: string | null
  /** True where the runtime is gVisor's `runsc`: a kernel of its own, which counts tasks differently. */
  readonly gvisor: boolean
  /** False where the runtime takes no system call filter from the engine. */
  readonly filters: boolean
  /** False where the engine or its runtime does not enforce memory, processors and processes. */
  readonly limits: boolean
  /** False where it makes no container in a control group that was made beforehand. */
  readonly takesParent: boolean
  /** What sandboxes run as instead of 65532, where the unit is not root. */
  readonly user: HostIdentity | null
}

/** Milliseconds that any command but `run` may take. */
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
 * Kills and removes at once; what is not there is no error. Tried again while the engine cannot yet: a runtime may still
 * be ending the container, or another removal of it may be in progress.
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

/** Why Docker's client gets no answer, in words of our own: what it says itself may be of its templates. */
export interface Silence {
  /** Goes on behind "docker". */
  readonly reason: string
  /** The daemon is there, and talks to others alone. */
  readonly forbidden: boolean
}

const address = /\b(?:unix|tcp|ssh|https?):\/\/[\w./:@[\]-]*[\w/\]]/

/** @param stderr of the client, of any release */
export const unresponsiveReason = (stderr: string): Silence => {
  const where = address.exec(stderr.replaceAll(/https?:\/\/%2F\S*/g, ''))?.[0]
  const at = where === undefined ? '' : ` at ${where}`
  return /permission denied/i.test(stderr)
    ? { reason: `has a daemon${at} that does not talk to this user`, forbidden: true }
    : { reason: `has no daemon that answers${at}`, forbidden: false }
}
