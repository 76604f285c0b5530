// Brings a root file system into the engine as an image: once per content, found again by its digest.
import { ServiceError } from '@gatehouse/contracts'
import { execa } from 'execa'
import { loadArchive } from './archive.ts'
import { type Engine, callEngine, clientEnvironment } from './engine.ts'

export interface ImageSource {
  /** Tag of the image; one content, one tag. */
  readonly tag: string
  /** Directory that `entries` are relative to. */
  readonly directory: string
  readonly entries: readonly string[]
  /** Packs what a link points at instead of the link. */
  readonly followLinks?: boolean
}

/** Owners, order and times that do not depend on the host. */
const tarArguments = ({ directory, entries, followLinks }: ImageSource): string[] =>
  [
    ['-C', directory, '--sort=name', '--owner=0', '--group=0', '--numeric-owner', '--mtime=@0'],
    followLinks === true ? ['--dereference'] : [],
    ['-cf', '-', '--', ...entries],
  ].flat()

/** nerdctl runs an image by the digest of its manifest, and inspects that of its configuration. */
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

/** The image's id, which `run` takes. */
export const ensureImage = async (engine: Engine, source: ImageSource): Promise<string> => {
  const present = await findImage(engine, source.tag)
  if (present !== null) return present
  const fault = engine.name === 'nerdctl' ? await loadArchive(engine, source.tag, tarArguments(source)) : await importImage(engine, source)
  const id = await findImage(engine, source.tag)
  if (id !== null) return id
  throw new ServiceError('no-sandbox', {
    detail: `${engine.name} import of ${source.directory} failed: ${fault}`,
    hint: `check that ${engine.name} runs and has room for 150 MB`,
  })
}
