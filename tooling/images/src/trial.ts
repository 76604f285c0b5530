// Images for tests and trials: uncompressed, of this machine's architecture alone.
import { basename } from 'node:path'
import { hostArchitecture } from './architecture.ts'
import { buildImages } from './build.ts'
import { hostAddon, projectVersion, release } from './command.ts'
import { sharedObjectsOf } from './elf/shared-objects.ts'
import { copy, directory } from './layer/entry.ts'
import type { ImageName } from './names.ts'
import { type MadeLayout, writeLayout } from './oci/layout.ts'

const created = new Date(0).toISOString()

/** Of the bundles that the last build made, in a layout below `out`. */
const buildOne = async (name: ImageName, out: string): Promise<MadeLayout> => {
  const built = await buildImages({
    names: [name],
    architectures: [hostArchitecture()],
    release,
    out,
    cache: out,
    version: await projectVersion(),
    revision: null,
    source: null,
    addons: hostAddon(),
    created,
    compressed: false,
  })
  const layout = built.get(name)
  if (layout === undefined) throw new Error(`expected the image ${name}, got none`)
  return layout
}

export const buildControlPlane = (out: string): Promise<MadeLayout> => buildOne('control-plane', out)
export const buildSandbox = (out: string): Promise<MadeLayout> => buildOne('sandbox', out)

/** A program of this machine with its shared objects, as an image that runs as 65532. */
export const buildProgramImage = async (out: string, program: string): Promise<MadeLayout> => {
  const architecture = hostArchitecture()
  const libraries = await sharedObjectsOf([program], { architecture, sysroot: '/' })
  const entries = [
    ...['dev', 'proc', 'sys'].map((path) => directory(path)),
    copy(program, `bin/${basename(program)}`, 0o755),
    ...libraries.map(({ source, target }) => copy(source, target.slice(1), 0o755)),
  ]
  const settings = {
    user: '65532:65532',
    env: ['PATH=/bin'],
    entrypoint: [],
    command: [`/bin/${basename(program)}`],
    ports: [],
    labels: {},
    health: null,
  }
  return writeLayout(out, [{ architecture, layers: [{ what: program, entries }], settings }], { created, compressed: false })
}
