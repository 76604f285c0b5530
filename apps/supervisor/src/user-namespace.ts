// Enters the user namespace and the control groups that setup prepared for a unit without root.
import { existsSync } from 'node:fs'
import { mkdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { exits, limits } from '@gatehouse/contracts'
import { hasHostIds, needProgram, programPath, Refusal } from '@gatehouse/kernel'
import { execa } from 'execa'

/** Our part of the control groups, as if it were all: services in one group, sandboxes later beside it. */
const top = '/sys/fs/cgroup'
const services = join(top, 'services')

const refuseGroups = (got: string, cause?: unknown): Refusal =>
  new Refusal(exits.noPermission, {
    detail: `expected the control group of this unit to be delegated to it, got: ${got}`,
    hint: 'start it by gatehouse.service, which says Delegate=yes',
    cause,
  })

const mount = async (type: string, options: string): Promise<void> => {
  const words = ['--no-mtab', '-t', type, '-o', `nosuid,nodev,noexec,${options}`, type, top]
  const result = await execa(await needProgram('mount'), words, {
    env: { PATH: programPath },
    extendEnv: false,
    cwd: '/',
    stdin: 'ignore',
    reject: false,
  })
  if (result.failed) throw refuseGroups(result.stderr || (result.shortMessage ?? 'no reason'))
}

/** In version 2 no process is in a group that hands its controllers down, so ours goes where the others will be born. */
const takeOwnGroups = async (): Promise<void> => {
  // No file system is mounted over itself.
  await mount('tmpfs', 'mode=755,size=4k')
  await mount('cgroup2', 'rw')
  try {
    await mkdir(services, { recursive: true })
    await writeFile(join(services, 'cgroup.procs'), String(process.pid))
  } catch (error) {
    throw refuseGroups(error instanceof Error ? error.message : 'no reason', error)
  }
}

export interface EnterOptions {
  /** Where the namespace is pinned; undefined: the unit stays among the ids of the host. */
  readonly pin: string | undefined
  /** What starts us once more. */
  readonly command: readonly string[]
  /** Becomes that program, under the same number; returns where it cannot. */
  readonly become: (file: string, args: readonly string[]) => void
}

const hint = 'systemctl start gatehouse-sandboxes, or: gatehouse setup --user-namespace --owner UID'

const refuse = (detail: string, cause?: unknown): Refusal => new Refusal(exits.noPermission, { detail, hint, cause })

/** The service manager tries again: at a boot what makes it may come later. */
const refuseAbsent = (pin: string, cause: Error): Refusal =>
  new Refusal(exits.childCannotStart, {
    detail: `SERVICE_USER_NAMESPACE: expected a pinned user namespace at ${pin}, got ${cause.message}`,
    hint,
    cause,
  })

/** A look beforehand: whoever became `nsenter` could say nothing that people understand. */
const refuseUnfit = async (nsenter: string, pin: string): Promise<void> => {
  const found = await stat(pin).catch((error: Error) => {
    throw refuseAbsent(pin, error)
  })
  if (!found.isFile()) throw refuse(`SERVICE_USER_NAMESPACE: expected a pinned user namespace at ${pin}, got another kind of file`)
  // A process of root's in there could be seized by its owner.
  if (process.geteuid?.() === 0) throw refuse(`SERVICE_USER_NAMESPACE: expected to be started by the owner of ${pin}, got root`)
  const options = {
    env: { PATH: programPath },
    extendEnv: false,
    cwd: '/',
    stdin: 'ignore',
    reject: false,
    timeout: limits.launchTime,
  } as const
  const result = await execa(nsenter, [`--user=${pin}`, '--', await needProgram('cat'), '/proc/self/uid_map'], options)
  if (result.failed)
    throw refuse(`expected a user namespace made by gatehouse setup at ${pin}, got: ${result.stderr || result.shortMessage}`)
}

/** Control groups of version 2 are delegated: seen from a namespace of theirs, our part is all. */
const hasGroupsOfTwo = (): boolean => existsSync('/sys/fs/cgroup/cgroup.controllers')

/** Returns where there is none to enter, or once we are inside: control groups are ours then too. */
export const enterUserNamespace = async ({ pin, command, become }: EnterOptions): Promise<void> => {
  if (pin === undefined) return
  if (await hasHostIds()) {
    const [nsenter, unshare] = await Promise.all([needProgram('nsenter'), needProgram('unshare')])
    await refuseUnfit(nsenter, pin)
    const groups = hasGroupsOfTwo() ? ['--cgroup'] : []
    become(nsenter, [`--user=${pin}`, '--', unshare, '--mount', '--propagation', 'slave', ...groups, '--', ...command])
    throw refuse(`expected to become ${nsenter}, got no reason why not`)
  }
  if (process.geteuid?.() !== 0) throw refuse('SERVICE_USER_NAMESPACE: expected to be root inside of the namespace, got another id')
  if (hasGroupsOfTwo()) await takeOwnGroups()
}
