// The walls that a sandbox should have, one sentence each. A driver names those that it lacks on this host.

export const walls = {
  identity: 'Inside, uid and gid are 65532.',
  'own-host-uid':
    'Outside, it runs under a host uid that is neither root, nor the unit, nor that of another group, and it cannot choose the login id by which the host audits it.',
  network: 'It sees no interface but lo, no route, and no abstract socket of the host.',
  'read-only-root': 'The root file system cannot be written, nor can the mounts that are meant to be read.',
  tmp: '/tmp is a small file system in memory.',
  'mount-flags': 'What it can write is mounted nosuid, nodev and noexec.',
  capabilities: 'No capability is in any of its sets.',
  'no-new-privileges': 'No program that it starts can gain a privilege.',
  seccomp: 'System calls that an agent does not need are refused by our allow list.',
  processes: 'It sees no process but its own.',
  environment: 'It sees no environment variable but those that it was given, and no inherited descriptor.',
  files: 'It sees no file of the host but those that were mounted for it.',
  devices: 'It sees no device but null, zero, full, random, urandom and tty.',
  'memory-limit': 'Its memory is bounded, and a kill for it is reported as such.',
  'process-limit': 'The number of its processes is bounded, and what it uses is not taken from others.',
  'cpu-limit': 'Its share of the processors is bounded.',
  'disk-limit': 'What it can write on the disk of the host is bounded, in bytes and in files.',
  'open-files-limit': 'The number of its open files is bounded, and it leaves no core dump.',
} as const

export type Wall = keyof typeof walls

const isWall = (name: string): name is Wall => name in walls

export const wallNames: readonly Wall[] = Object.keys(walls).filter(isWall)
