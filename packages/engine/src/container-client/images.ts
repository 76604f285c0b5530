// Images of a container engine: imports a root file system once per content, and finds images by digest.
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { ServiceError } from '@gatehouse/contracts'
import { execa } from 'execa'
import { callEngine, clientEnvironment, type Engine } from './client.ts'

/** Builds an image archive with one layer, for an engine that cannot import a bare root file system. */
const digestOf = async (path: string): Promise<string> => {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex')
}

const architectures: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' }

const describe = (tag: string, digest: string): Readonly<Record<string, object>> => ({
  'manifest.json': [{ Config: 'config.json', RepoTags: [tag], Layers: ['layer.tar'] }],
  'config.json': {
    architecture: architectures[process.arch] ?? process.arch,
    os: 'linux',
    config: {},
    rootfs: { type: 'layers', diff_ids: [`sha256:${digest}`] },
  },
})

/** Resolves to the error, or null. @param layer arguments of a `tar` that writes the root file system to its output */
const loadArchive = async (engine: Engine, tag: string, layer: readonly string[]): Promise<string | null> => {
  const directory = await mkdtemp(join(tmpdir(), 'gatehouse-image-'))
  const options = { env: clientEnvironment, reject: false, stdin: 'ignore' } as const
  try {
    const path = join(directory, 'layer.tar')
    const packed = await execa('tar', layer, { ...options, buffer: { stdout: false }, stdout: { file: path } })
    if (packed.failed) return packed.stderr
    const parts = describe(tag, await digestOf(path))
    for (const [name, content] of Object.entries(parts)) await writeFile(join(directory, name), JSON.stringify(content))
    const archive = join(directory, 'image.tar')
    await execa('tar', ['-C', directory, '-cf', archive, ...Object.keys(parts), 'layer.tar'], options)
    const loaded = await execa(engine.file, [...engine.global, 'load', '--input', archive], options)
    return loaded.failed ? loaded.stderr : null
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

export interface ImageSource {
  /** Tag of the image, unique for its content. */
  readonly tag: string
  /** Base directory of `entries`. */
  readonly directory: string
  readonly entries: readonly string[]
  /** Whether to pack the target of a link instead of the link. */
  readonly followLinks?: boolean
}

/** Owners, order and times that are independent of the host. */
const tarArguments = ({ directory, entries, followLinks }: ImageSource): string[] =>
  [
    ['-C', directory, '--sort=name', '--owner=0', '--group=0', '--numeric-owner', '--mtime=@0'],
    followLinks === true ? ['--dereference'] : [],
    ['-cf', '-', '--', ...entries],
  ].flat()

/** nerdctl runs an image by the digest of its manifest, but inspects by that of its configuration. */
const findImage = async (engine: Engine, tag: string): Promise<string | null> => {
  const ask = engine.name === 'nerdctl' ? ['image', 'ls', '--quiet', '--no-trunc'] : ['image', 'inspect', '--format', '{{.Id}}']
  const found = await callEngine(engine, [...ask, tag])
  return found.ok && found.stdout !== '' ? found.stdout.trim() : null
}

const importImage = async (engine: Engine, source: ImageSource): Promise<string> => {
  const options = { env: clientEnvironment, reject: false, encoding: 'buffer' } as const
  const imported = await execa('tar', tarArguments(source), { ...options, buffer: false }).pipe(
    engine.file,
    [...engine.global, 'import', '-', source.tag],
    { ...options, encoding: 'utf8' },
  )
  return imported.stderr || (imported.shortMessage ?? '')
}

/** Resolves to the image id for `run`. */
export const ensureImage = async (engine: Engine, source: ImageSource): Promise<string> => {
  const present = await findImage(engine, source.tag)
  if (present !== null) return present
  const fault = engine.name === 'nerdctl' ? await loadArchive(engine, source.tag, tarArguments(source)) : await importImage(engine, source)
  const id = await findImage(engine, source.tag)
  if (id !== null) return id
  throw new ServiceError('no-sandbox', {
    detail: `${engine.name} import of ${source.directory} failed: ${fault}`,
    hint: `check that ${engine.name} runs and has 150 MB of free disk`,
  })
}

/** Finds an image by the value of `SERVICE_SANDBOX_IMAGE`: a registry digest or the image's own digest. */
type Client = Pick<Engine, 'file' | 'global'>

const inspect = async (client: Client, name: string): Promise<string | null> => {
  const found = await callEngine(client, ['image', 'inspect', '--format', '{{.Id}}', name])
  return found.ok && found.stdout !== '' ? found.stdout.trim() : null
}

/** An image that was never in a registry has only its own digest. */
const lookUp = async (client: Client, image: string): Promise<string | null> => {
  const digest = /@(sha256:[0-9a-f]{64})$/.exec(image)?.[1]
  return (await inspect(client, image)) ?? (digest === undefined ? null : await inspect(client, digest))
}

/** Resolves to the image id. Pulls the image by its digest where the engine does not have it. */
export const findNamedImage = async (client: Client, image: string): Promise<string> => {
  const present = await lookUp(client, image)
  if (present !== null) return present
  const pulled = await callEngine(client, ['pull', image])
  const id = await lookUp(client, image)
  if (id !== null) return id
  throw new ServiceError('no-sandbox', {
    detail: `cannot find the image ${image} (SERVICE_SANDBOX_IMAGE): ${pulled.stderr.trim().slice(0, 300) || 'no such image'}`,
    hint: 'load it into the engine of this host, or unset SERVICE_SANDBOX_IMAGE',
  })
}
