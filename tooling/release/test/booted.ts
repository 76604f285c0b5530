// A clean root on which systemd runs as the first process, in namespaces of its own, and what enters it.
import { randomBytes } from 'node:crypto'
import { readdir, readFile, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { waitFor } from '@gatehouse/end-to-end'
import { execa } from 'execa'
import type { CleanRoot } from './clean-root.ts'

const patience = 120_000
const groups = '/sys/fs/cgroup'

/** From the innermost outwards. */
const removeGroup = async (path: string): Promise<void> => {
  const below = await readdir(path, { withFileTypes: true }).catch(() => [])
  for (const entry of below) if (entry.isDirectory()) await removeGroup(join(path, entry.name))
  await waitFor(`${path} to be empty`, patience, () =>
    rmdir(path).then(
      () => true,
      (error: NodeJS.ErrnoException) => error.code === 'ENOENT',
    ),
  )
}

export const bootSystemd = async (root: CleanRoot, release: string) => {
  const group = `gatehouse-pages-${randomBytes(4).toString('hex')}`
  const script = join(import.meta.dirname, 'fixtures/boot.sh')
  const child = execa(script, [root.folder, release, group], { reject: false, all: true, stdin: 'ignore' })
  let over = false
  const ended = child.then(({ all }) => {
    over = true
    return all
  })
  const end = async (): Promise<void> => {
    // unshare takes no notice of anything else, and takes everything inside with it.
    child.kill('SIGKILL')
    await ended
    for (const hierarchy of await readdir(groups)) await removeGroup(join(groups, hierarchy, group))
  }
  const enter = async (): Promise<readonly string[]> => {
    const [first = ''] = (await readFile(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8')).trim().split(' ')
    return ['nsenter', '--target', first, ...'--mount --pid --cgroup --ipc --uts --net --root --wd'.split(' ')]
  }
  try {
    const inside = await waitFor('systemd to have booted', patience, async () => {
      if (over) throw new Error(`systemd did not boot:\n${await ended}`)
      const [program = '', ...words] = await enter()
      const { stdout } = await execa(program, [...words, 'systemctl', 'is-system-running'], { reject: false })
      return /^(running|degraded)$/.test(stdout) ? [program, ...words] : undefined
    })
    return { inside, end }
  } catch (error) {
    await end()
    throw error
  }
}
