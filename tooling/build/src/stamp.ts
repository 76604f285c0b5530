// Remembers what a build was made from, so that the second start builds nothing.
import { createHash } from 'node:crypto'
import { glob, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { dist, root } from './targets.ts'

const sources = [
  '{packages,apps,tooling/build}/*/{src,package.json,index.html,vite.config.ts}',
  '{packages,apps,tooling/build}/*/src/**/*',
  'tooling/build/src/*',
  'pnpm-lock.yaml',
]
const file = join(dist, '.built-from')

/** A digest over path, size and modification time of every source. */
export const fingerprint = async (): Promise<string> => {
  const lines: string[] = []
  for await (const path of glob(sources, { cwd: root, exclude: ['**/node_modules/**'] })) {
    const facts = await stat(join(root, path))
    if (facts.isFile()) lines.push(`${path} ${facts.size} ${facts.mtimeMs}`)
  }
  return createHash('sha256')
    .update([...new Set(lines)].toSorted().join('\n'))
    .digest('hex')
}

export const builtFrom = async (): Promise<string | undefined> => {
  try {
    return await readFile(file, 'utf8')
  } catch {
    return undefined
  }
}

export const stampFile = file
