// What a root file system holds besides programs: mount points and two account files. Changing it changes the digest.

/** Counts up when the way of assembling changes. */
export const layoutVersion = 2

export const directories = [
  { path: 'dev', mode: 0o755 },
  { path: 'etc', mode: 0o755 },
  { path: 'memory', mode: 0o755 },
  { path: 'mnt', mode: 0o755 },
  { path: 'packages', mode: 0o755 },
  { path: 'proc', mode: 0o755 },
  { path: 'run/gatehouse/model', mode: 0o755 },
  { path: 'run/gatehouse/session', mode: 0o755 },
  { path: 'run/gatehouse/tools', mode: 0o755 },
  { path: 'shared', mode: 0o755 },
  { path: 'sys', mode: 0o755 },
  { path: 'tmp', mode: 0o1777 },
  { path: 'workspace', mode: 0o755 },
] as const

export const texts = [
  { path: 'etc/group', text: 'agent:x:65532:\n' },
  { path: 'etc/nsswitch.conf', text: 'passwd: files\ngroup: files\nhosts: files\n' },
  { path: 'etc/passwd', text: 'agent:x:65532:65532:agent:/workspace:/sbin/nologin\n' },
] as const
