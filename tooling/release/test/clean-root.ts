// A root that nothing was installed on: the programs of this host, read-only, and everything else empty. What is written can be listed from outside.
import { mkdir, mkdtemp, readdir, readFile, readlink, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'

/** Directories of the root that can be written. */
const writable = ['etc', 'opt', 'root', 'run', 'tmp', 'var', 'usr/local'] as const

const files: Readonly<Record<string, string>> = {
  'etc/passwd': 'root:x:0:0:root:/root:/bin/sh\n',
  'etc/group': 'root:x:0:\nshadow:x:42:\n',
  'etc/shadow': 'root:*:1:0:99999:7:::\n',
  'etc/gshadow': 'root:*::\nshadow:*::\n',
  'etc/login.defs': 'SYS_UID_MIN 100\nSYS_UID_MAX 999\nSYS_GID_MIN 100\nSYS_GID_MAX 999\n',
  'etc/nsswitch.conf': 'passwd: files\ngroup: files\nshadow: files\n',
  'etc/subuid': '',
  'etc/subgid': '',
}

export class CleanRoot {
  readonly folder: string

  private constructor(folder: string) {
    this.folder = folder
  }

  static async make(): Promise<CleanRoot> {
    const root = new CleanRoot(await mkdtemp(join(tmpdir(), 'gatehouse-root-')))
    for (const name of writable) await mkdir(root.at(name), { recursive: true })
    for (const name of ['var/lib', 'etc/systemd/system', 'usr/local/bin', 'tmp/release']) await mkdir(root.at(name), { recursive: true })
    for (const [name, text] of Object.entries(files))
      await writeFile(root.at(name), text, { mode: name.includes('shadow') ? 0o600 : 0o644 })
    return root
  }

  at(path: string): string {
    return join(this.folder, path)
  }

  /** As root in it. The release lies at `/tmp/release`. */
  run(release: string, command: readonly string[], options: { readonly env?: Record<string, string> } = {}) {
    return execa(
      'bwrap',
      [
        ...'--ro-bind /usr /usr --proc /proc --dev /dev --chdir / --die-with-parent'.split(' '),
        ...['bin', 'sbin', 'lib', 'lib64'].flatMap((name) => ['--symlink', `usr/${name}`, `/${name}`]),
        ...writable.flatMap((name) => ['--bind', this.at(name), `/${name}`]),
        '--ro-bind',
        release,
        '/tmp/release',
        ...command,
      ],
      { reject: false, extendEnv: false, stdin: 'ignore', env: { PATH: '/usr/sbin:/usr/bin', ...options.env }, timeout: 60_000 },
    )
  }

  /** Every path with what is in it; copies that the programs of accounts leave (`passwd-`) are their own. */
  async contents(): Promise<Map<string, string>> {
    const found = new Map<string, string>()
    for (const entry of await readdir(this.folder, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name)
      const name = path.slice(this.folder.length)
      if (/^\/etc\/(passwd|group|shadow|gshadow|subuid|subgid)-$|^\/tmp\/|^\/etc\/\.pwd\.lock$/.test(name)) continue
      found.set(
        name,
        entry.isSymbolicLink() ? await readlink(path) : entry.isFile() && name.startsWith('/etc') ? await readFile(path, 'utf8') : '',
      )
    }
    return found
  }

  remove(): Promise<void> {
    return rm(this.folder, { recursive: true, force: true })
  }
}
