// A root that nothing was installed on, with systemd as its first process, and commands that are run in it.
import { readFile, stat } from 'node:fs/promises'
import { waitFor } from '@gatehouse/end-to-end'
import { execa } from 'execa'
import { bootSystemd } from './booted.ts'
import { CleanRoot } from './clean-root.ts'

const patience = 120_000

const env = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin',
  SERVICE_API_TOKEN_FILE: '/etc/gatehouse/credentials/SERVICE_API_TOKEN',
}

/** What a boot could leave on the host: kinds of control groups that are in use, and the devices that everybody writes to. */
export const hostTraces = async (): Promise<object> => {
  const kinds = (await readFile('/proc/cgroups', 'utf8')).split('\n').map((line) => line.split('\t').slice(0, 2).join(' '))
  const mounted = (await readFile('/proc/self/mounts', 'utf8')).split('\n').filter((line) => line.startsWith('cgroup'))
  const devices = await Promise.all(['/dev/null', '/dev/zero', '/dev/full'].map((name) => stat(name)))
  return { kinds, mounted, devices: devices.map(({ mode, uid, gid, rdev }) => ({ mode, uid, gid, rdev })) }
}

export type BootedRoot = Awaited<ReturnType<typeof bootRoot>>

export const bootRoot = async (release: string) => {
  const root = await CleanRoot.make()
  const { inside, end } = await bootSystemd(root, release).catch(async (error: unknown) => {
    await root.remove()
    throw error
  })
  const [nsenter = '', ...into] = inside
  const run = (...command: readonly string[]) =>
    execa(nsenter, [...into, ...command], { reject: false, extendEnv: false, stdin: 'ignore', env, timeout: patience })
  /** Standard output of what must succeed. */
  const ask = async (...command: readonly string[]): Promise<string> => {
    const { exitCode, stdout, stderr } = await run(...command)
    if (exitCode !== 0) throw new Error(`${command.join(' ')} ended with ${exitCode}: ${stderr}\n${stdout}`)
    return stdout
  }
  // Until here systemd read that there are no hierarchies to be mounted. A sandbox mounts no /proc where one is covered.
  await run('umount', '/proc/cgroups')
  return {
    root,
    run,
    ask,
    until: (what: string, look: () => Promise<boolean>) => waitFor(what, patience, look),
    /** Ends all that runs in it, and removes what it had on the host. */
    async remove() {
      await end()
      await root.remove()
    },
  }
}
