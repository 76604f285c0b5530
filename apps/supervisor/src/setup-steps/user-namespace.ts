// The user namespace of a unit that is not root: made here, since only root may map ids of others, and pinned as a file.
// Root never goes into it: a process in there could be seized by its owner, with whatever else root gave it.
import { closeSync, constants, openSync } from 'node:fs'
import { readFile, readlink, rm, rmdir, stat, statfs, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { exits } from '@gatehouse/contracts'
import { makeDirectory, needProgram, programPath, Refusal, waitFor, writeAtomically } from '@gatehouse/kernel'
import { execa } from 'execa'
import { namespaceIds } from '../identities.ts'
import { hostIds } from './host-ids.ts'
import type { Site, Step } from './step.ts'

/** `NSFS_MAGIC` of linux/magic.h */
const nsfs = 0x6e_73_66_73
const patience = 10_000
const options = { env: { PATH: programPath }, extendEnv: false, cwd: '/' } as const

const mapsOf = ({ owner }: Pick<Wanted, 'owner'>) => ({ uid_map: namespaceIds(owner.uid), gid_map: namespaceIds(owner.gid) })

const render = (ids: ReturnType<typeof namespaceIds>): string => ids.map((line) => line.join(' ')).join('\n')

interface Wanted {
  readonly owner: Site['owner']
  readonly pin: string
}

const isPinned = async (pin: string): Promise<boolean> => (await statfs(pin).catch(() => null))?.type === nsfs

/** What is written down of the namespace that is pinned, when it is made: root does not look into it. */
const noteOf = (pin: string): string => `${pin}.ids`

/** The number of a namespace is no other's while it is pinned. */
const describe = async (wanted: Wanted): Promise<string> => {
  const { dev, ino } = await stat(wanted.pin)
  const maps = Object.entries(mapsOf(wanted)).map(([name, ids]) => `${name}\n${render(ids)}`)
  return [`namespace ${dev}:${ino}`, ...maps, ''].join('\n')
}

const fits = async (wanted: Wanted): Promise<boolean> =>
  (await readFile(noteOf(wanted.pin), 'utf8').catch(() => undefined)) === (await describe(wanted))

/** Whoever seizes it gets nothing but its id: no power, no terminal. */
const startHolder = async ({ owner: { uid, gid } }: Wanted) => {
  const powerless = ['--no-new-privs', '--bounding-set', '-all', '--inh-caps', '-all']
  const as = ['--reuid', String(uid), '--regid', String(gid), '--clear-groups', ...powerless]
  const words = [...as, '--', await needProgram('unshare'), '--user', '--', await needProgram('cat')]
  return { process: execa(await needProgram('setpriv'), words, { ...options, reject: false, detached: true }) }
}

/** Of the process itself, whoever has its number later. To be called before it can have ended unnoticed: in the turn of its start. */
const openProcess = (pid: number): { readonly path: string; close(): void } => {
  const descriptor = openSync(`/proc/${pid}`, constants.O_RDONLY | constants.O_DIRECTORY)
  return { path: `/proc/${process.pid}/fd/${descriptor}`, close: () => closeSync(descriptor) }
}

/** The namespace belongs to whom it is made by; that one may enter it, and is root in it. */
const makeAt = async (wanted: Wanted): Promise<void> => {
  const own = await readlink('/proc/self/ns/user')
  const { process: holder } = await startHolder(wanted)
  const gone = holder.then(({ stderr }) => {
    throw new Refusal(exits.configuration, {
      detail: `expected to make a user namespace as uid ${wanted.owner.uid}, got: ${stderr || 'an end of unshare'}`,
      hint: 'sysctl user.max_user_namespaces kernel.unprivileged_userns_clone: the host must let its users have some',
    })
  })
  if (holder.pid === undefined) return await gone
  const held = openProcess(holder.pid)
  try {
    const namespace = (): Promise<string> => readlink(`${held.path}/ns/user`).catch(() => own)
    await Promise.race([waitFor(async () => (await namespace()) !== own, { what: 'a user namespace', deadline: patience }), gone])
    // The kernel takes each in one piece or not at all.
    for (const [name, ids] of Object.entries(mapsOf(wanted))) await writeFile(`${held.path}/${name}`, `${render(ids)}\n`)
    await execa(await needProgram('mount'), ['--no-mtab', '--bind', '--', `${held.path}/ns/user`, wanted.pin], {
      ...options,
      stdin: 'ignore',
    })
  } finally {
    held.close()
    gone.catch(() => undefined)
    holder.stdin.end()
    await holder
  }
}

const unpin = async (pin: string): Promise<void> => {
  await rm(noteOf(pin), { force: true })
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
    if ((await hostIds.look(site)).state === 'blocked') return { state: 'blocked', says: 'it would map ids of somebody else: see host-ids' }
    if (!(await isPinned(wanted.pin))) return { state: 'lacking', says: `none is pinned at ${wanted.pin}` }
    if (!(await fits(wanted))) return { state: 'lacking', says: `the one at ${wanted.pin} has other ids` }
    return { state: 'ready', says: `${wanted.pin}, of ${site.owner.uid}:${site.owner.gid}` }
  },
  async make(site) {
    const wanted = wantedBy(site)
    await unpin(wanted.pin)
    await makeDirectory(dirname(wanted.pin), 0o755)
    await writeFile(wanted.pin, '', { flag: 'wx', mode: 0o444 }).catch(isThere)
    await makeAt(wanted)
    await writeAtomically(noteOf(wanted.pin), await describe(wanted), 0o444)
  },
  withdraw: (site) => unpin(wantedBy(site).pin),
  async remove(site) {
    const { pin } = wantedBy(site)
    await unpin(pin)
    await rm(pin, { force: true })
    await rmdir(dirname(pin)).catch(() => undefined)
    return undefined
  },
}
