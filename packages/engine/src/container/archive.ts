// An image as a file, for an engine that takes no bare root file system: one layer, and what says so.
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { execa } from 'execa'
import { clientEnvironment, type Engine } from './engine.ts'

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

/** `layer`: arguments of a `tar` that writes the root file system to its output. Returns what went wrong, or null. */
export const loadArchive = async (engine: Engine, tag: string, layer: readonly string[]): Promise<string | null> => {
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
