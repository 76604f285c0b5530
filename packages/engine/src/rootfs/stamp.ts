// The note beside an assembled root file system: from which inputs it was made, and its digest.
import { createHash } from 'node:crypto'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { jsonBounds } from '@gatehouse/contracts'
import { parseJson } from '@gatehouse/kernel'
import * as v from 'valibot'
import { layoutVersion } from './layout.ts'

const Stamp = v.strictObject({ inputs: v.string(), digest: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)) })
export type Stamp = v.InferOutput<typeof Stamp>

const stampPath = (target: string): string => `${target}.stamp`

/** One line for a set of inputs: large files by identity and time, so that nothing is read twice. */
export const describeInputs = async (inputs: readonly { readonly source: string; readonly target: string }[]): Promise<string> => {
  const hash = createHash('sha256').update(`layout ${layoutVersion}\n`)
  for (const { source, target } of inputs) {
    const { dev, ino, size, mtimeNs } = await stat(source, { bigint: true })
    hash.update(`${JSON.stringify([source, target])} ${dev} ${ino} ${size} ${mtimeNs}\n`)
  }
  return hash.digest('hex')
}

/** The stamp, or null where there is none that can be read. */
export const readStamp = async (target: string): Promise<Stamp | null> => {
  try {
    const parsed = v.safeParse(Stamp, parseJson(await readFile(stampPath(target)), jsonBounds.stateFile))
    return parsed.success ? parsed.output : null
  } catch {
    return null
  }
}

export const writeStamp = (target: string, stamp: Stamp): Promise<void> =>
  writeFile(stampPath(target), `${JSON.stringify(stamp)}\n`, { mode: 0o644 })
