// Removes what earlier starts of this unit left in its directories.
import { chmod, lstat, readdir, realpath, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { exits } from '@gatehouse/contracts'
import { backupCopyPrefix, readMountsBelow, programPath, Refusal, restoringPrefix } from '@gatehouse/kernel'
import { execa } from 'execa'

/** `chmod -R 0700` is what people do after they extracted an archive; it opens a file to nobody else. */
const withoutExecution = async (path: string): Promise<void> => {
  const found = await lstat(path)
  if (found.isFile() && (found.mode & 0o7777) === 0o700) await chmod(path, 0o600)
}

/** The caller holds the lock of the state directory. */
export const sweep = async (stateDir: string): Promise<void> => {
  for (const name of await readdir(stateDir)) {
    if (name.startsWith(backupCopyPrefix)) await rm(join(stateDir, name), { recursive: true, force: true })
    else await withoutExecution(join(stateDir, name))
    if (!name.startsWith(restoringPrefix)) continue
    throw new Refusal(exits.configuration, {
      detail: `${stateDir}: expected a whole state, got one whose restore was interrupted (${name})`,
      hint: `empty ${stateDir} and restore the archive again`,
    })
  }
}

/** What is in use there goes with its last user. Returns what could not be unmounted, and why. */
const unmount = async (directory: string): Promise<{ left: string[]; said: string }> => {
  const points = await readMountsBelow(directory)
  if (points.length === 0) return { left: [], said: '' }
  const options = { env: { PATH: programPath }, extendEnv: false, cwd: '/', stdin: 'ignore', reject: false, timeout: 30_000 } as const
  const result = await execa('umount', ['--no-mtab', '--lazy', '--', ...points.toReversed()], options)
  return { left: await readMountsBelow(directory), said: (result.stderr || result.shortMessage || '').trim() }
}

/** Bears that there is none. Throws a `Refusal` while something is still mounted there. */
export const removeUnmounted = async (directory: string): Promise<void> => {
  const real = await realpath(directory).catch(() => undefined)
  if (real === undefined) return rm(directory, { force: true })
  const { left, said } = await unmount(real)
  if (left.length > 0)
    throw new Refusal(exits.noPermission, {
      detail: `expected nothing mounted in ${real}, got what sandboxes of an earlier start left there and cannot be unmounted (${said})`,
      hint: `umount --lazy ${left
        .toReversed()
        .map((point) => `'${point}'`)
        .join(' ')}`,
    })
  await rm(directory, { recursive: true, force: true })
}
