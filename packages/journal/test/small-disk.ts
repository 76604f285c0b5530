// A file system of a few hundred KiB, for tests of a full disk.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const [mounter, unmounter] = ['mount', 'umount']

const mount = (directory: string, size: string): boolean =>
  spawnSync(mounter, ['-t', 'tmpfs', '-o', `size=${size},mode=700`, 'tmpfs', directory], { stdio: 'ignore' }).status === 0

/** Why there can be none; false where there can. */
export const noSmallDisk = ((): string | false => {
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-disk-'))
  const mounted = mount(directory, '64k')
  if (mounted) spawnSync(unmounter, [directory])
  rmSync(directory, { recursive: true })
  return mounted ? false : 'needs root to mount a small tmpfs, run the tests as root'
})()

/** Unmounted and removed when the act has ended. */
export const onSmallDisk = async (size: string, act: (directory: string) => Promise<void>): Promise<void> => {
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-disk-'))
  if (!mount(directory, size)) throw new Error(`no tmpfs could be mounted on ${directory}`)
  try {
    await act(directory)
  } finally {
    spawnSync(unmounter, [directory])
    rmSync(directory, { recursive: true })
  }
}

/** Until it is unmounted. */
export const makeReadOnly = (directory: string): void => {
  const { status } = spawnSync(mounter, ['-o', 'remount,ro', directory], { stdio: 'ignore' })
  if (status !== 0) throw new Error(`${directory} could not be made read-only`)
}
