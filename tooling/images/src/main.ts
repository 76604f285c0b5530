// `pnpm images`: builds the images of a release as OCI layouts below dist/images, out of the bundles that the last build made.
//   pnpm images [--arch amd64,arm64] [--out DIR] [--load docker|podman] [--addon-arm64 FILE] [--revision R] [--source URL]
//   pnpm images sample [docker|podman|nerdctl]   the image of the sample tool server, and its catalog entry
import { containerEngines } from '@gatehouse/contracts'
import { build } from './command.ts'
import { makeSampleImage } from './sample.ts'

const complain = (message: string): never => {
  process.stderr.write(`images: ${message}\n`)
  process.exit(2)
}

const sample = async (wanted: string | undefined): Promise<void> => {
  const engine = containerEngines.find((name) => name === wanted) ?? null
  if (wanted !== undefined && engine === null) complain(`expected ${containerEngines.join(', ')} or nothing, got ${wanted}`)
  const { image, id, entry, engine: used } = await makeSampleImage(engine)
  process.stderr.write(`${image} is in ${used} as ${id}; its catalog entry:\n`)
  process.stdout.write(`${JSON.stringify({ sample: entry }, null, 2)}\n`)
}

const argv = process.argv.slice(2)
const write = (text: string): void => void process.stdout.write(text)
try {
  if (argv[0] === 'sample') await sample(argv[1])
  else await build(argv, { write, epoch: process.env['SOURCE_DATE_EPOCH'] })
} catch (error) {
  complain(error instanceof Error ? error.message : String(error))
}
