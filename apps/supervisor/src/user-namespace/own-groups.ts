// Our part of the control groups, as if it were all: services in one group, sandboxes later beside it.
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { exits } from '@gatehouse/contracts'
import { needProgram, programPath, Refusal } from '@gatehouse/kernel'
import { execa } from 'execa'

const top = '/sys/fs/cgroup'
const services = join(top, 'services')

const refuse = (got: string, cause?: unknown): Refusal =>
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
  if (result.failed) throw refuse(result.stderr || (result.shortMessage ?? 'no reason'))
}

/** In version 2 no process is in a group that hands its controllers down, so ours goes where the others will be born. */
export const takeOwnGroups = async (): Promise<void> => {
  // No file system is mounted over itself.
  await mount('tmpfs', 'mode=755,size=4k')
  await mount('cgroup2', 'rw')
  try {
    await mkdir(services, { recursive: true })
    await writeFile(join(services, 'cgroup.procs'), String(process.pid))
  } catch (error) {
    throw refuse(error instanceof Error ? error.message : 'no reason', error)
  }
}
