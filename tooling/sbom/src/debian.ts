// Which Debian package of this machine a file belongs to.
import { realpath } from 'node:fs/promises'
import { execa } from 'execa'

export interface DebianPackage {
  readonly name: string
  readonly version: string
  readonly architecture: string
}

/** Packages name a file by the path that they were made with, which a merged `/usr` made another. */
const spellings = async (path: string): Promise<string[]> => {
  const real = await realpath(path)
  const both = [path, real]
  return [
    ...new Set([...both, ...both.map((one) => one.replace(/^\/usr\//, '/')), ...both.map((one) => one.replace(/^\/lib/, '/usr/lib'))]),
  ]
}

/** Null where no package knows it, or the machine is no Debian. */
export const debianPackageOf = async (path: string): Promise<DebianPackage | null> => {
  for (const spelling of await spellings(path)) {
    const owner = await execa('dpkg-query', ['--search', spelling], { reject: false })
    const name = owner.failed ? undefined : /^([^\s,:]+(?::[^\s,:]+)?)[,:] /.exec(owner.stdout)?.[1]
    if (name === undefined) continue
    const shown = await execa('dpkg-query', ['--show', '--showformat', '${source:Package} ${Package} ${Version} ${Architecture}', name])
    const [, binary, version, architecture] = shown.stdout.split(' ')
    if (binary !== undefined && version !== undefined && architecture !== undefined) return { name: binary, version, architecture }
  }
  return null
}
