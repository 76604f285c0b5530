// Writes the list of parts of one release as CycloneDX 1.6. The same parts give the same text: it holds no time and no chance.
import { createHash } from 'node:crypto'
import {
  type Component,
  fileComponent,
  type Hashed,
  type Library,
  libraryComponent,
  nodeComponent,
  type NodeProgram,
  npmComponent,
  type NpmPackage,
} from './parts.ts'

export { debianPackageOf, type DebianPackage } from './debian.ts'
export { readNpmPackages } from './npm.ts'
export type { Hashed, Library, NodeProgram, NpmPackage } from './parts.ts'

export interface Parts {
  /** Of the whole. */
  readonly name: string
  readonly version: string
  readonly kind: 'container' | 'application'
  readonly node: NodeProgram
  readonly libraries: readonly Library[]
  readonly packages: readonly NpmPackage[]
  /** Our own programs and what lies beside them. */
  readonly files: readonly Hashed[]
}

/** A UUID of the content, of the version that is free to choose. */
const serialOf = (content: string): string => {
  const hex = createHash('sha256').update(content).digest('hex')
  const group = (from: number, to: number): string => hex.slice(from, to)
  return `urn:uuid:${group(0, 8)}-${group(8, 12)}-8${group(13, 16)}-a${group(17, 20)}-${group(20, 32)}`
}

const byPath = (a: Hashed, b: Hashed): number => (a.path < b.path ? -1 : 1)

export const renderParts = ({ name, version, kind, node, libraries, packages, files }: Parts): string => {
  const components: Component[] = [
    nodeComponent(node),
    ...libraries.toSorted(byPath).map(libraryComponent),
    ...packages.map(npmComponent),
    ...files.toSorted(byPath).map(fileComponent),
  ]
  const root = `${name}@${version}`
  const content = {
    metadata: { component: { type: kind, 'bom-ref': root, name, version, licenses: [{ license: { id: 'Apache-2.0' } }] } },
    components,
    dependencies: [{ ref: root, dependsOn: components.map((component) => component['bom-ref']) }],
  }
  const head = { bomFormat: 'CycloneDX', specVersion: '1.6', serialNumber: serialOf(JSON.stringify(content)), version: 1 }
  return `${JSON.stringify({ ...head, ...content }, null, 2)}\n`
}
