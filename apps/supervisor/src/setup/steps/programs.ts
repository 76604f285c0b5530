// The programs that disks of groups and sandboxes are made with. Told, never installed: that is the host's own business.
import { findProgram } from '@gatehouse/kernel'
import type { Step } from '../step.ts'

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
