// The user namespace of a unit that is not root: made here, since only root may map ids of others, and pinned as a file.
import { readlink, rm, rmdir, statfs, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { exits } from '@gatehouse/contracts'
import { makeDirectory, needProgram, programPath, Refusal, waitFor } from '@gatehouse/kernel'
import { execa } from 'execa'
import { namespaceIds } from '../../plan/identities.ts'
import type { Site, Step } from '../step.ts'

/** `NSFS_MAGIC` of linux/magic.h */
const nsfs = 0x6e_73_66_73
const patience = 10_000
const options = { env: { PATH: programPath }, extendEnv: false, cwd: '/' } as const

const mapsOf = ({ owner }: Pick<Wanted, 'owner'>) => ({ uid_map: namespaceIds(owner.uid), gid_map: namespaceIds(owner.gid) })

/** As the kernel shows one, whatever the width of its columns. */
const parse = (text: string): string =>
  text
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).join(' '))
    .join('\n')

const render = (ids: ReturnType<typeof namespaceIds>): string => ids.map((line) => line.join(' ')).join('\n')

interface Wanted {
  readonly owner: Site['owner']
  readonly pin: string
}

const isPinned = async (pin: string): Promise<boolean> => (await statfs(pin).catch(() => null))?.type === nsfs

const fits = async (wanted: Wanted): Promise<boolean> => {
  for (const [name, ids] of Object.entries(mapsOf(wanted))) {
    const words = [`--user=${wanted.pin}`, '--', await needProgram('cat'), `/proc/self/${name}`]
    const { stdout, failed } = await execa(await needProgram('nsenter'), words, {
      ...options,
      reject: false,
      stdin: 'ignore',
      timeout: patience,
    })
    if (failed || parse(stdout) !== render(ids)) return false
  }
  return true
}

const namespaceOf = (pid: number | 'self'): Promise<string> => readlink(`/proc/${pid}/ns/user`)

/** The namespace belongs to whom it is made by; that one may enter it, and is root in it. */
const makeAt = async ({ owner, pin }: Wanted): Promise<void> => {
  const own = await namespaceOf('self')
  const holder = execa(await needProgram('unshare'), ['--user', '--', await needProgram('cat')], { ...options, ...owner, reject: false })
  try {
    const { pid } = holder
    const gone = holder.then(({ stderr }) => {
      throw new Refusal(exits.configuration, {
        detail: `expected to make a user namespace as uid ${owner.uid}, got: ${stderr || 'an end of unshare'}`,
        hint: 'sysctl user.max_user_namespaces kernel.unprivileged_userns_clone: the host must let its users have some',
      })
    })
    if (pid === undefined) return await gone
    const made = waitFor(async () => (await namespaceOf(pid).catch(() => own)) !== own, { what: 'a user namespace', deadline: patience })
    await Promise.race([made, gone])
    // The kernel takes each in one piece or not at all.
    for (const [name, ids] of Object.entries(mapsOf({ owner }))) await writeFile(`/proc/${pid}/${name}`, `${render(ids)}\n`)
    await execa(await needProgram('mount'), ['--no-mtab', '--bind', '--', `/proc/${pid}/ns/user`, pin], { ...options, stdin: 'ignore' })
  } finally {
    holder.stdin.end()
    await holder
  }
}

const unpin = async (pin: string): Promise<void> => {
  while (await isPinned(pin)) await execa(await needProgram('umount'), ['--no-mtab', '--', pin], { ...options, stdin: 'ignore' })
}

const isThere = (error: NodeJS.ErrnoException): void => {
  if (error.code !== 'EEXIST') throw error
}

const wantedBy = ({ owner, userNamespace }: Site): Wanted => {
  if (userNamespace === null) throw new TypeError('expected a place for the user namespace')
  return { owner, pin: userNamespace }
}

export const userNamespace: Step = {
  name: 'user-namespace',
  isWanted: ({ userNamespace }) => userNamespace !== null,
  async look(site) {
    const wanted = wantedBy(site)
    if (!(await isPinned(wanted.pin))) return { state: 'lacking', says: `none is pinned at ${wanted.pin}` }
    if (process.geteuid?.() !== 0) return { state: 'ready', says: `${wanted.pin}; root alone can look into it` }
    if (!(await fits(wanted))) return { state: 'lacking', says: `the one at ${wanted.pin} has other ids` }
    return { state: 'ready', says: `${wanted.pin}, of ${site.owner.uid}:${site.owner.gid}` }
  },
  async make(site) {
    const wanted = wantedBy(site)
    await unpin(wanted.pin)
    await makeDirectory(dirname(wanted.pin), 0o755)
    await writeFile(wanted.pin, '', { flag: 'wx', mode: 0o444 }).catch(isThere)
    await makeAt(wanted)
  },
  async remove(site) {
    const { pin } = wantedBy(site)
    await unpin(pin)
    await rm(pin, { force: true })
    await rmdir(dirname(pin)).catch(() => undefined)
    return undefined
  },
}
