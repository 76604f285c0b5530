// The directory that holds the sockets of one boot.
import { chmod, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { privateDirectory } from '@gatehouse/kernel'

const runBase = (env: Readonly<Record<string, string | undefined>>): string => {
  if (process.getuid?.() === 0) return '/run/gatehouse'
  const own = env['XDG_RUNTIME_DIR']
  return own === undefined ? `/tmp/gatehouse-${process.getuid?.() ?? 0}` : join(own, 'gatehouse')
}

/** Short, since socket paths are. Sandboxes of other uids pass through it, so it can be entered but not read. */
export const openRunDirectory = async (installation: string, env: Readonly<Record<string, string | undefined>>): Promise<string> => {
  const base = runBase(env)
  const runDir = join(base, installation.slice(0, 8))
  await rm(runDir, { recursive: true, force: true })
  // Somebody else's directory below /tmp is refused.
  await privateDirectory(base, 0o711)
  await mkdir(runDir, { mode: 0o711 })
  await chmod(runDir, 0o711)
  await mkdir(join(runDir, 'edges'), { mode: 0o700 })
  return runDir
}
