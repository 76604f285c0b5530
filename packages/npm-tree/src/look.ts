// Looks into one package of a tree: what it would run when npm installs it, and which of its files are machine code.
import { jsonBounds, type LockedPackage } from '@gatehouse/contracts'
import { parseJson } from '@gatehouse/kernel'
import { type ArchivedFile, readArchive } from './archive.ts'
import { download, integrityOf, type Wanted } from './download.ts'
import type { NpmOptions } from './options.ts'
import { TreeRefused } from './refused.ts'

export interface Seen extends Pick<LockedPackage, 'integrity' | 'binaries' | 'scripts'> {
  readonly bytes: number
}

const installScripts = ['preinstall', 'install', 'postinstall'] as const
const most = 64

const magics = [
  Buffer.from('\x7fELF', 'latin1'),
  Buffer.from('MZ', 'latin1'),
  ...['feedface', 'feedfacf', 'cefaedfe', 'cffaedfe', 'cafebabe'].map((hex) => Buffer.from(hex, 'hex')),
  Buffer.from('\0asm', 'latin1'),
]

const isBinary = ({ path, content }: ArchivedFile): boolean =>
  path.endsWith('.node') || magics.some((magic) => content.subarray(0, magic.length).equals(magic))

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

const parse = (content: Uint8Array): unknown => {
  try {
    return parseJson(content, jsonBounds.packageManifest)
  } catch (error) {
    throw new TreeRefused('bad-archive', 'expected a package.json in JSON', error)
  }
}

/** Of the package and of those that it carries along; npm builds a `binding.gyp` of its own accord. */
const scriptsOf = (files: readonly ArchivedFile[]): string[] =>
  files.flatMap(({ path, content }) => {
    const folder = path.slice(0, path.lastIndexOf('/') + 1)
    if (!/^(?:node_modules\/.*\/)?$/.test(folder) || folder.endsWith('/node_modules/')) return []
    if (path === `${folder}binding.gyp`) return [`${folder}binding.gyp`]
    if (path !== `${folder}package.json`) return []
    const manifest = parse(content)
    const scripts = isObject(manifest) && isObject(manifest['scripts']) ? manifest['scripts'] : {}
    return installScripts.filter((name) => name in scripts).map((name) => `${folder}${name}`)
  })

export const look = async (wanted: Wanted, options: NpmOptions): Promise<Seen> => {
  const tarball = await download(wanted, options)
  const files = await readArchive(tarball)
  return {
    integrity: integrityOf(tarball),
    binaries: files
      .filter(isBinary)
      .map(({ path }) => path)
      .toSorted()
      .slice(0, most),
    scripts: scriptsOf(files).toSorted().slice(0, most),
    bytes: files.reduce((sum, { content }) => sum + content.byteLength, 0),
  }
}
