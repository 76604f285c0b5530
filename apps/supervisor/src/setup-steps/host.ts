// Setup steps for programs, loop devices and the state directory. Missing programs are reported, never installed.
import { access, chmod, chown, lstat, readdir, rmdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { findProgram, ifPresent, lostAndFound, makeDirectory } from '@gatehouse/kernel'
import { execa } from 'execa'
import type { Site, Step } from './step.ts'

const packages = {
  'mkfs.ext4': 'e2fsprogs',
  resize2fs: 'e2fsprogs',
  mount: 'mount',
  umount: 'mount',
  losetup: 'mount',
  setpriv: 'util-linux',
  unshare: 'util-linux',
  nsenter: 'util-linux',
} as const

export const programs: Step = {
  name: 'programs',
  async look() {
    const lacking: (keyof typeof packages)[] = []
    for (const name of Object.keys(packages)) if (isName(name) && (await findProgram(name)) === null) lacking.push(name)
    if (lacking.length === 0) return { state: 'ready', says: Object.keys(packages).join(', ') }
    const wanted = [...new Set(lacking.map((name) => packages[name]))]
    return { state: 'blocked', says: `${lacking.join(', ')} not found: apt-get install ${wanted.join(' ')}` }
  },
  make: async () => undefined,
  remove: async () => undefined,
}

const isName = (name: string): name is keyof typeof packages => name in packages

/** Loop devices, by which a group's image becomes its disk. */
const isThere = ({ dev }: Site): Promise<boolean> =>
  access(join(dev, 'loop-control')).then(
    () => true,
    () => false,
  )

export const loopDevices: Step = {
  name: 'loop-devices',
  async look(site) {
    const control = join(site.dev, 'loop-control')
    return (await isThere(site)) ? { state: 'ready', says: control } : { state: 'lacking', says: `${control} is not there` }
  },
  async make() {
    // Where the kernel has no such module, the table says that it lacks.
    await execa('/sbin/modprobe', ['loop'], { stdin: 'ignore', cwd: '/', reject: false })
  },
  // The module of a kernel is nobody's own.
  remove: async () => undefined,
}

/** The state directory: there, for the unit alone. Never removed while something is in it. */
const find = (path: string) => ifPresent(lstat(path))

/** Whoever may not look is no help to anybody: then it counts as empty. */
const isFull = (path: string): Promise<boolean> =>
  readdir(path).then(
    (names) => names.some((name) => name !== lostAndFound),
    () => false,
  )

export const stateDirectory: Step = {
  name: 'state-directory',
  async look({ stateDir, owner }) {
    const found = await find(stateDir)
    if (found === undefined) return { state: 'lacking', says: `${stateDir} is not there` }
    if (!found.isDirectory()) return { state: 'blocked', says: `${stateDir} is no directory: move it away` }
    if (found.uid !== owner.uid && (await isFull(stateDir))) {
      const way = 'back it up by that unit, move it away, and restore it when this is done'
      return { state: 'blocked', says: `${stateDir} is the state of a unit of uid ${found.uid}: ${way}` }
    }
    const mode = found.mode & 0o777
    if (found.uid !== owner.uid || found.gid !== owner.gid || mode !== 0o700) {
      return { state: 'lacking', says: `${stateDir} is of ${found.uid}:${found.gid} with mode 0${mode.toString(8)}` }
    }
    return { state: 'ready', says: `${stateDir}, of ${owner.uid}:${owner.gid} alone` }
  },
  async make({ stateDir, owner }) {
    // Its owner is not always root, and has to pass.
    await makeDirectory(dirname(stateDir), 0o755)
    await makeDirectory(stateDir, 0o700)
    await chown(stateDir, owner.uid, owner.gid)
    await chmod(stateDir, 0o700)
  },
  async remove({ stateDir }) {
    return rmdir(stateDir).then(
      () => undefined,
      (error: NodeJS.ErrnoException) => (error.code === 'ENOENT' ? undefined : `${stateDir} stays: it is not empty`),
    )
  },
}
