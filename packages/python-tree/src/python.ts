// The Python of images: one release of python-build-standalone, downloaded by uv and compared with the known checksum.
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ServiceError } from '@gatehouse/contracts'
import { runUv, type Uv } from './uv.ts'

interface Release {
  readonly url: string
  readonly sha256: string
}

const version = '3.13.15'
const base = 'https://github.com/astral-sh/python-build-standalone/releases/download/20260814'

/** A newer release is added by hand, with the checksum that its publisher names. */
const releases: Readonly<Record<string, Release>> = {
  x86_64: {
    url: `${base}/cpython-${version}%2B20260814-x86_64-unknown-linux-gnu-install_only_stripped.tar.gz`,
    sha256: 'aaca2af2ab4d7b68a712660d1334c0cfd5ec13c0312ccd30c29122d8d0342320',
  },
  aarch64: {
    url: `${base}/cpython-${version}%2B20260814-aarch64-unknown-linux-gnu-install_only_stripped.tar.gz`,
    sha256: '985efd78c1c6521b379f7c64c2a25e6a1130f07441d1af8be441aa05260886aa',
  },
}

const machines: Readonly<Record<string, string>> = { x64: 'x86_64', arm64: 'aarch64' }

/** An archive on this host that replaces the download. */
export interface PythonArchive {
  /** Named as python-build-standalone names its archives: `cpython-<version>+…`. */
  readonly file: string
  /** Absent: that of the pinned release. */
  readonly sha256: string | undefined
}

export interface Python {
  readonly version: string
  /** Directory with `bin` and `lib`. */
  readonly home: string
  readonly program: string
  readonly sha256: string
}

const chosen = (machine: string, archive: PythonArchive | undefined): Release & { readonly version: string } => {
  const pinned = releases[machine]
  if (pinned === undefined) throw new ServiceError('invalid', { detail: `no Python is pinned for ${machine}` })
  if (archive === undefined) return { ...pinned, version }
  const found = /^cpython-(\d+\.\d+\.\d+)[+-]/.exec(basename(archive.file))?.[1]
  if (found === undefined)
    throw new ServiceError('invalid', {
      detail: `expected an archive named cpython-<version>+…, got ${basename(archive.file)}`,
      hint: `download ${decodeURIComponent(pinned.url)}`,
    })
  return { url: pathToFileURL(resolve(archive.file)).href, sha256: archive.sha256 ?? pinned.sha256, version: found }
}

const downloadsFor = (machine: string, { url, sha256, version: wanted }: ReturnType<typeof chosen>): string => {
  const [major, minor, patch] = wanted.split('.').map(Number)
  const arch = { family: machine, variant: null }
  const row = {
    name: 'cpython',
    arch,
    os: 'linux',
    libc: 'gnu',
    major,
    minor,
    patch,
    prerelease: '',
    url,
    sha256,
    variant: null,
    build: null,
  }
  return JSON.stringify({ [`cpython-${wanted}-linux-${machine}-gnu`]: row })
}

const hint = (reason: string): string | undefined =>
  /hash mismatch/i.test(reason)
    ? 'download the archive again, or name its checksum: --python-sha256'
    : 'without access to the download, get the archive by other means and name it: --python FILE'

/** Below `work`, a directory of the caller's own. Throws `invalid` for an archive with another checksum. */
export const installPython = async (uv: Uv, work: string, archive: PythonArchive | undefined): Promise<Python> => {
  const machine = machines[process.arch]
  if (process.platform !== 'linux' || machine === undefined)
    throw new ServiceError('invalid', {
      detail: `expected Linux on x64 or arm64, which images are made for, got ${process.platform} on ${process.arch}`,
    })
  const release = chosen(machine, archive)
  const [table, home] = [join(work, 'python.json'), join(work, 'python')]
  await mkdir(work, { recursive: true })
  await writeFile(table, downloadsFor(machine, release))
  const args = [
    'python',
    'install',
    '--no-config',
    '--no-bin',
    '--managed-python',
    '--python-downloads-json-url',
    table,
    '--install-dir',
    home,
  ]
  await runUv({ ...uv, env: { ...uv.env, UV_CACHE_DIR: join(work, 'cache') } }, [...args, release.version], {
    what: `Python ${release.version} cannot be installed`,
    hint,
  })
  const root = join(home, `cpython-${release.version}-linux-${machine}-gnu`)
  const program = join(root, 'bin', `python${release.version.replace(/\.\d+$/, '')}`)
  return { version: release.version, home: root, program, sha256: release.sha256 }
}

/** Parts that no server needs: tests, editors, headers, and installers of more packages. */
const left =
  /^(?:include|share)\/|\/(?:__pycache__|test|tests|idlelib|idle_test|tkinter|turtledemo|ensurepip|lib2to3|site-packages|config-[^/]*)\/|\.(?:a|pyc)$/

/** Regular files of the installation that go into an image, relative to its home. */
export const pythonFiles = async ({ home, program }: Python): Promise<string[]> => {
  const entries = await readdir(home, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(home.length + 1))
    .filter((path) => !left.test(path) && (!path.startsWith('bin/') || join(home, path) === program))
    .toSorted()
}
