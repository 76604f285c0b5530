// The kinds of part that a release has, each as a component of CycloneDX.
import type { DebianPackage } from './debian.ts'

export interface Hashed {
  /** Where it lies in what is released. */
  readonly path: string
  /** Lower-case hex. */
  readonly sha256: string
}

export interface Library extends Hashed {
  /** Null where nobody can say where it comes from. */
  readonly debian: DebianPackage | null
}

export interface NpmPackage {
  readonly name: string
  readonly version: string
  readonly license: string | null
  /** What holds its code. */
  readonly programs: readonly string[]
}

export interface NodeProgram extends Hashed {
  /** `process.versions` of it: Node and what is linked into it. */
  readonly versions: Readonly<Record<string, string>>
}

export type Component = Readonly<Record<string, unknown>>

const hashes = ({ sha256 }: Hashed): Component => ({ hashes: [{ alg: 'SHA-256', content: sha256 }] })
const property = (name: string, value: string): Component => ({ name: `gatehouse:${name}`, value })

/** Names of interfaces rather than of parts. */
const interfaces: ReadonlySet<string> = new Set(['node', 'modules', 'napi'])

export const nodeComponent = (node: NodeProgram): Component => {
  const version = node.versions['node'] ?? 'unknown'
  const linked = Object.entries(node.versions)
    .filter(([name]) => !interfaces.has(name))
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
  return {
    type: 'application',
    'bom-ref': `node@${version}`,
    name: 'node',
    version,
    cpe: `cpe:2.3:a:nodejs:node.js:${version}:*:*:*:*:*:*:*`,
    purl: `pkg:generic/node@${version}`,
    licenses: [{ license: { id: 'MIT' } }],
    ...hashes(node),
    properties: [property('path', node.path)],
    components: linked.map(([name, found]) => ({ type: 'library', 'bom-ref': `node@${version}/${name}@${found}`, name, version: found })),
  }
}

const debianPurl = ({ name, version, architecture }: DebianPackage): string =>
  `pkg:deb/debian/${encodeURIComponent(name)}@${encodeURIComponent(version)}?arch=${architecture}`

export const libraryComponent = (library: Library): Component => ({
  type: 'library',
  'bom-ref': library.path,
  name: library.debian?.name ?? library.path.slice(library.path.lastIndexOf('/') + 1),
  ...(library.debian === null ? {} : { version: library.debian.version, purl: debianPurl(library.debian) }),
  ...hashes(library),
  properties: [property('path', library.path)],
})

/** One identifier is named as such; what is more than that is an expression, and anything else is only a name. */
const licenseOf = (license: string): Component => {
  if (/^[A-Za-z0-9.-]+(?: (?:AND|OR|WITH) [A-Za-z0-9.-]+)*$/.test(license.replaceAll(/[()]/g, ''))) return { expression: license }
  return { license: { name: license } }
}

const npmPurl = (name: string, version: string): string => `pkg:npm/${name.replace(/^@/, '%40')}@${encodeURIComponent(version)}`

export const npmComponent = ({ name, version, license, programs }: NpmPackage): Component => ({
  type: 'library',
  'bom-ref': `${name}@${version}`,
  name,
  version,
  purl: npmPurl(name, version),
  ...(license === null ? {} : { licenses: [licenseOf(license)] }),
  properties: programs.map((program) => property('in', program)),
})

export const fileComponent = (file: Hashed): Component => ({ type: 'file', 'bom-ref': file.path, name: file.path, ...hashes(file) })
