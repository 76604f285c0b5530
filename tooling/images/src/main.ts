// `pnpm images [docker|podman|nerdctl]`: loads the image of the sample tool server into a container engine and prints its entry.
import { containerEngines } from '@gatehouse/contracts'
import { makeSampleImage } from './sample.ts'

const wanted = process.argv[2]
const engine = containerEngines.find((name) => name === wanted) ?? null
if (wanted !== undefined && engine === null) {
  process.stderr.write(`images: expected ${containerEngines.join(', ')} or nothing, got ${wanted}\n`)
  process.exit(2)
}
const { image, id, entry, engine: used } = await makeSampleImage(engine)
process.stderr.write(`${image} is in ${used} as ${id}; its catalog entry:\n`)
process.stdout.write(`${JSON.stringify({ sample: entry }, null, 2)}\n`)
