// A private mount namespace for one launch, in which mounts have flags that an engine cannot set. The host's mounts stay unchanged.
import { randomBytes } from 'node:crypto'
import { readlink, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { limits, ServiceError } from '@gatehouse/contracts'
import { findProgram, programPath } from '@gatehouse/kernel'
import { execa } from 'execa'

/** Lines of a mount table for `mount --all --fstab`. */
export interface StageMount {
  /** Absolute path on the host, `tmpfs` or `overlay`. */
  readonly source: string
  readonly target: string
  readonly options: readonly string[]
}

const kinds: ReadonlySet<string> = new Set(['tmpfs', 'overlay'])
const escapes: Readonly<Record<string, string>> = { ' ': '\\040', '\t': '\\011', '\n': '\\012', '\\': '\\134' }

const field = (text: string): string => text.replaceAll(/[ \t\n\\]/g, (character) => escapes[character] ?? '')

/** A comma would end an option. It is refused instead of quoted, because no path of the unit contains one. */
export const renderFstab = (mounts: readonly StageMount[]): string =>
  mounts
    .map(({ source, target, options }) => {
      const type = kinds.has(source) ? source : 'none'
      return `${field(source)} ${field(target)} ${type} ${options.join(',')} 0 0\n`
    })
    .join('')

export const hardened = ['nosuid', 'nodev', 'noexec'] as const

export interface StagePrograms {
  readonly unshare: string
  readonly nsenter: string
  readonly mount: string
  readonly cat: string
  readonly setpriv: string
}

export interface Stage {
  /** The command line prefix that starts a program in the namespace. */
  readonly prefix: readonly [string, ...string[]]
  /** Resolves when the process is in the namespace or has ended. */
  entered(pid: number): Promise<void>
  /** The namespace exists as long as a process is in it. */
  close(): Promise<void>
}

export interface StageOptions {
  readonly programs: StagePrograms
  readonly root: boolean
  /** Private directory for the mount table. */
  readonly home: string
}

const namespaceOf = (pid: number | 'self'): Promise<string | null> => readlink(`/proc/${pid}/ns/mnt`).catch(() => null)

const environment = { env: { PATH: programPath }, extendEnv: false, cwd: '/' } as const

/** Waits until `holds` returns true; null means that the process has ended. */
const until = async (pid: number, holds: (namespace: string) => boolean): Promise<boolean> => {
  const deadline = performance.now() + limits.launchTime
  while (performance.now() < deadline) {
    const namespace = await namespaceOf(pid)
    if (namespace === null) return false
    if (holds(namespace)) return true
    await pause(1)
  }
  return false
}

const refuse = (detail: string, cause?: unknown): ServiceError =>
  new ServiceError('no-sandbox', {
    detail,
    hint: 'check that this user may make mount namespaces (unshare --mount), or use --sandbox container',
    cause,
  })

/** Reads its standard input until the unit closes it or ends. */
const startHolder = ({ programs, root }: StageOptions) => {
  const user = root ? [] : ['--user', '--map-root-user']
  // Unmounts of the host must propagate: a long-lived namespace would keep the disk of another group in use.
  const propagation = root ? 'slave' : 'private'
  const args = ['--pdeathsig', 'KILL', programs.unshare, ...user, '--mount', '--propagation', propagation, programs.cat]
  return execa(programs.setpriv, args, { ...environment, stdio: ['pipe', 'ignore', 'pipe'], reject: false })
}

const fill = async ([file, ...inside]: Stage['prefix'], mounts: readonly StageMount[], { programs, home }: StageOptions): Promise<void> => {
  if (mounts.length === 0) return
  const table = join(home, `mounts-${randomBytes(6).toString('hex')}`)
  await writeFile(table, renderFstab(mounts), { mode: 0o600 })
  try {
    const args = [...inside, programs.mount, '--no-mtab', '--all', '--fstab', table]
    const result = await execa(file, args, { ...environment, stdin: 'ignore', reject: false, timeout: limits.launchTime })
    if (result.failed) throw refuse(`cannot prepare the mounts of a sandbox: ${result.stderr || result.shortMessage}`)
  } finally {
    await rm(table, { force: true })
  }
}

export const openStage = async (mounts: readonly StageMount[], options: StageOptions): Promise<Stage> => {
  const { programs, root } = options
  const outside = await namespaceOf('self')
  const holder = startHolder(options)
  const { pid } = holder
  const close = async (): Promise<void> => {
    holder.stdin.end()
    holder.kill('SIGKILL')
    await holder
  }
  if (pid === undefined) throw refuse(`cannot start ${programs.unshare}`, (await holder).cause)
  const user = root ? [] : ['--user', '--preserve-credentials']
  const prefix = [programs.nsenter, '--target', String(pid), ...user, '--mount', '--'] as const
  try {
    if (!(await until(pid, (namespace) => namespace !== outside))) throw refuse(`${programs.unshare} created no namespace`)
    await fill(prefix, mounts, options)
  } catch (error) {
    await close()
    throw error
  }
  const inside = await namespaceOf(pid)
  return {
    prefix,
    async entered(process) {
      await until(process, (namespace) => namespace === inside)
    },
    close,
  }
}

/** Null where a program is missing. */
export const findStagePrograms = async (): Promise<StagePrograms | null> => {
  const find = findProgram
  const [unshare, nsenter, mount, cat, setpriv] = await Promise.all([
    find('unshare'),
    find('nsenter'),
    find('mount'),
    find('cat'),
    find('setpriv'),
  ])
  if (unshare === null || nsenter === null || mount === null || cat === null || setpriv === null) return null
  return { unshare, nsenter, mount, cat, setpriv }
}
