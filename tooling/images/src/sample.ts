// The sample tool server as an image, and the catalog entry that runs it.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { ContainerEngine, LocalEntry } from '@gatehouse/contracts'
import { makeImage, type MadeImage } from '@gatehouse/engine'

export const bundle = join(import.meta.dirname, '../../../dist/mcp-sample.mjs')

export interface SampleImage extends MadeImage {
  readonly entry: LocalEntry
}

/** Of the bundle that the last build made. */
export const makeSampleImage = async (engine: ContainerEngine | null, name = 'gatehouse-mcp-sample'): Promise<SampleImage> => {
  if (!existsSync(bundle)) throw new Error(`expected the sample server at ${bundle}, got none: run \`pnpm build\` first`)
  const made = await makeImage({ name, engine, node: process.execPath, files: [{ source: bundle, target: '/app/mcp-sample.mjs' }] })
  const entry: LocalEntry = { transport: 'stdio', command: '/bin/node', args: ['/app/mcp-sample.mjs'], image: made.image, env: {} }
  return { ...made, entry }
}
