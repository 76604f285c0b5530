// The directory that holds the sockets of one boot.
import { chmod, lstat, mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { exits } from '@gatehouse/contracts'
import { hasHostIds, makeDirectory, Refusal } from '@gatehouse/kernel'
import type { Plan } from './plan.ts'
import { removeUnmounted } from './remove-unmounted.ts'

const runBase = async (env: Readonly<Record<string, string | undefined>>): Promise<string> => {
  // Root of a user namespace has of the host what systemd made for it.
  if (process.getuid?.() === 0) return (await hasHostIds()) ? '/run/gatehouse' : (env['RUNTIME_DIRECTORY'] ?? '/run/gatehouse')
  const own = env['XDG_RUNTIME_DIR']
  return own === undefined ? `/tmp/gatehouse-${process.getuid?.() ?? 0}` : join(own, 'gatehouse')
}

/** Several units of one user share it; somebody else's is refused, since /tmp is everybody's. */
const openBase = async (base: string): Promise<void> => {
  await makeDirectory(base, 0o711)
  const found = await lstat(base)
  if (!found.isDirectory() || found.uid !== process.geteuid?.()) {
    throw new Refusal(exits.noPermission, {
      detail: `expected ${base} to be an own directory, got one of uid ${found.uid}`,
      hint: `remove ${base}`,
    })
  }
  await chmod(base, 0o711)
}

/** Short, since socket paths are. Sandboxes of other uids pass through it, so it can be entered but not read. */
export const openRunDirectory = async (installation: string, env: Readonly<Record<string, string | undefined>>): Promise<string> => {
  const base = await runBase(env)
  const runDir = join(base, installation.slice(0, 8))
  await removeUnmounted(runDir)
  await openBase(base)
  await mkdir(runDir, { mode: 0o711 })
  await chmod(runDir, 0o711)
  await mkdir(join(runDir, 'edges'), { mode: 0o700 })
  return runDir
}

/** Sandboxes of the other half have directories in the first two mounted, which must outlive a restart of ours. */
const lasting: ReadonlySet<string> = new Set(['tools', 'model', 'compile-cache'])

/** Of one half of a split unit. `edges` is for its own processes, `shared` for those of the group that both halves are of. */
export const openHalf = async ({ only, halves }: NonNullable<Plan['split']>): Promise<string> => {
  const runDir = halves[only]
  await openBase(runDir)
  for (const name of await readdir(runDir)) if (!lasting.has(name)) await removeUnmounted(join(runDir, name))
  await mkdir(join(runDir, 'edges'), { mode: 0o700 })
  await mkdir(join(runDir, 'shared'))
  await chmod(join(runDir, 'shared'), 0o750)
  return runDir
}
