// Detects whether an OCI runtime works on this host: root, its program, control groups with limits, and the programs for mounts.
import { join } from 'node:path'
import { findProgram, programPath } from '@gatehouse/kernel'
import { execa } from 'execa'
import { detectGroups } from '../cgroup/group.ts'
import { checkRelease, type Choice, type ChooseOptions } from '../choice.ts'
import { findStagePrograms } from '../mount-namespace.ts'
import { createOci, type OciOptions } from './driver.ts'
import type { Runtime } from './runtime.ts'

const isRuntime = (name: string): name is Runtime['name'] => name === 'runsc' || name === 'runc'

/** Flags: no network, existing host sockets only, the unit's system call filter, and no writable overlay. */
const gvisorFlags = async (file: string): Promise<string[]> => {
  const { stdout, stderr } = await execa(file, ['flags'], { reject: false, env: { PATH: programPath }, extendEnv: false, cwd: '/' })
  const knows = (flag: string): boolean => `${stdout}\n${stderr}`.includes(`-${flag} `)
  return [
    '--network=none',
    knows('host-uds') ? '--host-uds=open' : '--fsgofer-host-uds',
    '--oci-seccomp',
    ...(knows('overlay2') ? ['--overlay2=none'] : []),
    ...(knows('directfs') ? ['--directfs=false'] : []),
  ]
}

const install = { runsc: 'apt-get install runsc, or https://gvisor.dev/docs/user_guide/install', runc: 'apt-get install runc' } as const

type Found = { readonly options: OciOptions; readonly old: string | null } | { readonly refused: string }

export const findOci = async ({ runtime, home, unitId }: Pick<ChooseOptions, 'runtime' | 'home' | 'unitId'>): Promise<Found> => {
  const name = runtime ?? 'runsc'
  if (!isRuntime(name)) return { refused: `--sandbox-runtime must be runsc or runc (got ${name})` }
  if (process.geteuid?.() !== 0) return { refused: 'it needs root for the host ids of groups and for limits' }
  const file = await findProgram(name)
  if (file === null) return { refused: `${name} not found: ${install[name]}` }
  const [programs, hierarchy, old] = await Promise.all([findStagePrograms(), detectGroups(unitId), checkRelease(name, file)])
  if (programs === null) return { refused: 'unshare, nsenter, mount or setpriv not found: apt-get install util-linux mount' }
  if (hierarchy === null)
    return { refused: 'control groups for memory, pids and cpu cannot be created here, so no limit would be enforced' }
  const flags = name === 'runsc' ? await gvisorFlags(file) : []
  return { options: { runtime: { name, file, root: join(home, name), flags }, programs, hierarchy, home, unitId }, old }
}

export const detectOci = async (options: ChooseOptions): Promise<Choice> => {
  const found = await findOci(options)
  if ('refused' in found) return found
  const driver = createOci(found.options)
  return found.old === null ? { driver } : { driver, old: found.old }
}
