// Where shared objects of an architecture come from: this machine, or Debian's packages for another one, unpacked below a directory.
import { existsSync } from 'node:fs'
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { debianPackageOf, type DebianPackage } from '@gatehouse/sbom'
import { execa } from 'execa'
import { type Architecture, hostArchitecture } from '../architecture.ts'

export interface Sysroot {
  readonly root: string
  /** Which package a shared object of it comes from. */
  packageOf(path: string): Promise<DebianPackage | null>
}

/** What Node and the SQLCipher addon are linked with. */
const wanted = ['libc6', 'libgcc-s1', 'libssl3', 'libstdc++6']

/** Options that make apt keep to a directory and to another architecture, so that this machine stays as it is. */
const aptOptions = (home: string, architecture: Architecture): string[] =>
  [
    `APT::Architecture=${architecture}`,
    `APT::Architectures=${architecture}`,
    `Dir::State=${join(home, 'state')}`,
    `Dir::State::status=${join(home, 'status')}`,
    `Dir::Cache=${join(home, 'cache')}`,
  ].flatMap((option) => ['-o', option])

const download = async (home: string, architecture: Architecture): Promise<string[]> => {
  const packages = join(home, 'packages')
  for (const folder of ['state/lists/partial', 'cache/archives/partial', 'packages']) await mkdir(join(home, folder), { recursive: true })
  await writeFile(join(home, 'status'), '')
  const options = aptOptions(home, architecture)
  await execa('apt-get', [...options, '--quiet', 'update'])
  await execa('apt-get', [...options, '--quiet', 'download', ...wanted], { cwd: packages })
  return (await readdir(packages)).map((name) => join(packages, name))
}

const fields = ['Package', 'Version', 'Architecture'] as const

const describe = async (archive: string): Promise<DebianPackage> => {
  const { stdout } = await execa('dpkg-deb', ['--field', archive, ...fields])
  const value = (field: string): string => new RegExp(`^${field}: (.*)$`, 'm').exec(stdout)?.[1] ?? ''
  return { name: value('Package'), version: value('Version'), architecture: value('Architecture') }
}

const contentOf = async (archive: string): Promise<string> => (await execa('dpkg-deb', ['--contents', archive])).stdout

const foreign = async (architecture: Architecture, cache: string): Promise<Sysroot> => {
  const home = join(cache, `debian-${architecture}`)
  const root = join(home, 'root')
  if (!existsSync(root)) {
    await rm(home, { recursive: true, force: true })
    const fresh = join(home, 'root.new')
    for (const archive of await download(home, architecture)) await execa('dpkg-deb', ['--extract', archive, fresh])
    await rename(fresh, root)
  }
  const packages = join(home, 'packages')
  const archives = await Promise.all(
    (await readdir(packages)).map(async (name) => {
      const archive = join(packages, name)
      return { facts: await describe(archive), content: await contentOf(archive) }
    }),
  )
  return {
    root,
    packageOf: async (path) => archives.find(({ content }) => content.includes(` .${path.slice(root.length)}`))?.facts ?? null,
  }
}

/** The manager of packages is slow to ask, and what it says of a file stays. */
const known = new Map<string, Promise<DebianPackage | null>>()
const packageHere = (path: string): Promise<DebianPackage | null> => {
  const asked = known.get(path) ?? debianPackageOf(path)
  known.set(path, asked)
  return asked
}

export const sysrootOf = async (architecture: Architecture, cache: string): Promise<Sysroot> =>
  architecture === hostArchitecture() ? { root: '/', packageOf: packageHere } : foreign(architecture, cache)
