// The built-in tool that searches files for plain text. A pattern could run without end.
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from '../host/fields.ts'
import { objectOf, type OwnTool, type Places } from './own.ts'
import { findPlace, nameOf, readStart } from './paths.ts'

const mostHits = 200
const mostFiles = 5_000
const mostBytes = 1024 * 1024
const longestLine = 400
const skipped: ReadonlySet<string> = new Set(['node_modules', '.git'])

const filesBelow = async function* (directory: string, memory: string): AsyncGenerator<string> {
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => [])
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    if (skipped.has(entry.name) || (directory === memory && entry.name.startsWith('.'))) continue
    const path = join(directory, entry.name)
    if (entry.isFile()) yield path
    else if (entry.isDirectory()) yield* filesBelow(path, memory)
  }
}

const hitsIn = async (file: string, wanted: string, places: Places): Promise<string[]> => {
  const { bytes } = await readStart(file, mostBytes)
  const content = bytes.toString('utf8')
  if (bytes.includes(0) || !content.toLowerCase().includes(wanted)) return []
  const name = await nameOf(file, places)
  return content
    .split('\n')
    .flatMap((line, at) => (line.toLowerCase().includes(wanted) ? [`${name}:${at + 1}: ${line.slice(0, longestLine)}`] : []))
}

export const search: OwnTool = {
  name: 'search',
  description: 'Looks for a text, whatever its case, in all files below a directory.',
  schema: objectOf(
    { pattern: { type: 'string', minLength: 1 }, path: { type: 'string', description: 'a directory, default /workspace' } },
    ['pattern'],
  ),
  repeatable: true,
  run: async (args, { places, signal }) => {
    const start = await findPlace(text(args['path']) ?? '.', 'read', places)
    const hits: string[] = []
    let files = 0
    for await (const file of filesBelow(start, await findPlace('/memory', 'read', places))) {
      signal.throwIfAborted()
      files += 1
      if (files > mostFiles || hits.length >= mostHits) break
      hits.push(...(await hitsIn(file, (text(args['pattern']) ?? '').toLowerCase(), places).catch(() => [])))
    }
    const rest = files > mostFiles || hits.length > mostHits ? '\n[there may be more]' : ''
    return { text: hits.length === 0 ? `nothing found in ${files} files` : hits.slice(0, mostHits).join('\n') + rest }
  },
}
