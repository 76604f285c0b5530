// The directory that a sandbox sees as `/mnt`: one empty place for each mount, made beforehand, since its root cannot be written.
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { CheckedMount } from './check.ts'

/** Made anew; the sandbox sees it read-only. */
export const makePoints = async (directory: string, mounts: readonly CheckedMount[]): Promise<void> => {
  await rm(directory, { recursive: true, force: true })
  await mkdir(directory, { recursive: true })
  for (const { target, type } of mounts) {
    const point = join(directory, basename(target))
    if (type === 'file') await writeFile(point, '')
    else await mkdir(point)
    await chmod(point, type === 'file' ? 0o644 : 0o755)
  }
  await chmod(directory, 0o755)
}
