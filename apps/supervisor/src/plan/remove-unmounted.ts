// Removes a directory of an earlier start. Sandboxes of that one may have left directories of the host mounted in it: those are
// unmounted first, and what lies in them is never touched.
import { realpath, rm } from 'node:fs/promises'
import { exits } from '@gatehouse/contracts'
import { mountsBelow, programPath, Refusal } from '@gatehouse/kernel'
import { execa } from 'execa'

/** What is in use there goes with its last user. Returns what could not be unmounted, and why. */
const unmount = async (directory: string): Promise<{ left: string[]; said: string }> => {
  const points = await mountsBelow(directory)
  if (points.length === 0) return { left: [], said: '' }
  const options = { env: { PATH: programPath }, extendEnv: false, cwd: '/', stdin: 'ignore', reject: false, timeout: 30_000 } as const
  const result = await execa('umount', ['--no-mtab', '--lazy', '--', ...points.toReversed()], options)
  return { left: await mountsBelow(directory), said: (result.stderr || result.shortMessage || '').trim() }
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
