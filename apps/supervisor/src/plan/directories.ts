// The two directories of a unit: state, which lasts, and run, which holds the sockets of one boot.
import { chmod, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { exits } from '@gatehouse/contracts'
import { isRefusal, privateDirectory, Refusal } from '@gatehouse/kernel'

const ownerOf = (): string => `${process.getuid?.() ?? 0}:${process.getgid?.() ?? 0}`

/** What the service may not write names the one command that mends it. */
export const openStateDirectory = async (stateDir: string): Promise<void> => {
  try {
    await mkdir(stateDir, { recursive: true, mode: 0o700 })
    await privateDirectory(stateDir)
  } catch (error) {
    if (isRefusal(error)) throw error
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
    throw new Refusal(exits.noPermission, {
      detail: `${stateDir}: expected a directory that uid ${ownerOf()} can write, got ${code}`,
      hint: `sudo mkdir -p ${stateDir} && sudo chown -R ${ownerOf()} ${stateDir} && sudo chmod 0700 ${stateDir}`,
      cause: error,
    })
  }
}

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
  await mkdir(base, { recursive: true, mode: 0o711 })
  await mkdir(runDir, { mode: 0o711 })
  await chmod(runDir, 0o711)
  await mkdir(join(runDir, 'edges'), { mode: 0o700 })
  return runDir
}
