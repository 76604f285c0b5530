// The command line of a build: what is asked for, and what it says of what was made.
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import * as v from 'valibot'
import { type Architecture, architectureNames, hostArchitecture } from './architecture.ts'
import { type Built, buildImages } from './build.ts'
import { loadLayout } from './load.ts'
import { imageNames } from './names.ts'

const checkout = join(import.meta.dirname, '../../..')
export const release = join(checkout, 'dist')

const options = {
  arch: { type: 'string' },
  out: { type: 'string', default: join(release, 'images') },
  load: { type: 'string' },
  'addon-arm64': { type: 'string' },
  'addon-amd64': { type: 'string' },
  revision: { type: 'string' },
  source: { type: 'string' },
} as const

const readArchitectures = (text: string | undefined): Architecture[] =>
  (text ?? hostArchitecture()).split(',').map((word) => {
    const found = architectureNames.find((name) => name === word)
    if (found === undefined) throw new Error(`--arch: expected ${architectureNames.join(' or ')}, got "${word}"`)
    return found
  })

const readEngine = (text: string | undefined): 'docker' | 'podman' | null => {
  if (text === undefined) return null
  if (text === 'docker' || text === 'podman') return text
  throw new Error(`--load: expected docker or podman, got "${text}"`)
}

/** That of this machine is part of the build. */
export const hostAddon = (): Partial<Record<Architecture, string>> => ({ [hostArchitecture()]: join(release, 'node_sqlite3.node') })

export const projectVersion = async (): Promise<string> =>
  v.parse(v.object({ version: v.string() }), JSON.parse(await readFile(join(checkout, 'apps/supervisor/package.json'), 'utf8'))).version

/** Seconds since 1970, by the convention of reproducible builds. */
const createdAt = (epoch: string | undefined): string => new Date(Number(epoch ?? 0) * 1000).toISOString()

const describe = (built: Built): string =>
  [...built]
    .flatMap(([name, { directory, digest, images }]) => [
      `${name}  ${directory}  ${digest}`,
      ...images.map((image) => `  linux/${image.architecture}  ${image.digest}`),
    ])
    .join('\n')

export interface Surroundings {
  readonly write: (text: string) => void
  /** `SOURCE_DATE_EPOCH`. */
  readonly epoch: string | undefined
}

export const build = async (argv: readonly string[], { write, epoch }: Surroundings): Promise<void> => {
  const { values } = parseArgs({ args: [...argv], options, strict: true })
  const [architectures, engine, version] = [readArchitectures(values.arch), readEngine(values.load), await projectVersion()]
  if (!existsSync(join(release, 'packages.json'))) throw new Error(`expected bundles in ${release}, got none: run \`pnpm build\` first`)
  const { 'addon-amd64': amd64, 'addon-arm64': arm64 } = values
  const given = { ...(amd64 !== undefined && { amd64: resolve(amd64) }), ...(arm64 !== undefined && { arm64: resolve(arm64) }) }
  const built = await buildImages({
    names: imageNames,
    architectures,
    release,
    out: resolve(values.out),
    cache: join(release, '.image-cache'),
    version,
    revision: values.revision ?? null,
    source: values.source ?? null,
    addons: { ...hostAddon(), ...given },
    created: createdAt(epoch),
    compressed: true,
  })
  write(`${describe(built)}\n`)
  for (const architecture of architectures) {
    if (built.get('control-plane')?.images.some((image) => image.architecture === architecture) === true) continue
    write(`no control plane for ${architecture}: its SQLCipher addon is built on such a machine; give it as --addon-${architecture}\n`)
  }
  if (engine === null) return
  for (const [name, layout] of built) {
    const tag = `gatehouse-${name}:${version}`
    write(`${tag} is in ${engine} as ${await loadLayout(layout, engine, tag)}\n`)
  }
}
