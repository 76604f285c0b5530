// The built-in tool that searches files for plain text. Regular expressions could run forever, so they are not supported.
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from '../host/fields.ts'
import { objectSchema, type OwnTool, type Places } from './own.ts'
import { resolvePath, toModelPath, readStart } from './paths.ts'

const maxMatches = 200
const maxFiles = 5_000
const maxBytes = 1024 * 1024
const maxLineLength = 400
const skipped: ReadonlySet<string> = new Set(['node_modules', '.git'])

const listFiles = async function* (directory: string, memory: string): AsyncGenerator<string> {
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => [])
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    if (skipped.has(entry.name) || (directory === memory && entry.name.startsWith('.'))) continue
    const path = join(directory, entry.name)
    if (entry.isFile()) yield path
    else if (entry.isDirectory()) yield* listFiles(path, memory)
  }
}

const findMatches = async (file: string, query: string, places: Places): Promise<string[]> => {
  const { bytes } = await readStart(file, maxBytes)
  const content = bytes.toString('utf8')
  if (bytes.includes(0) || !content.toLowerCase().includes(query)) return []
  const name = await toModelPath(file, places)
  return content
    .split('\n')
    .flatMap((line, at) => (line.toLowerCase().includes(query) ? [`${name}:${at + 1}: ${line.slice(0, maxLineLength)}`] : []))
}

export const search: OwnTool = {
  name: 'search',
  description: 'Searches all files below a directory for a text, ignoring case.',
  schema: objectSchema(
    { pattern: { type: 'string', minLength: 1 }, path: { type: 'string', description: 'a directory, default /workspace' } },
    ['pattern'],
  ),
  repeatable: true,
  run: async (args, { places, signal }) => {
    const start = await resolvePath(text(args['path']) ?? '.', 'read', places)
    const matches: string[] = []
    let files = 0
    for await (const file of listFiles(start, await resolvePath('/memory', 'read', places))) {
      signal.throwIfAborted()
      files += 1
      if (files > maxFiles || matches.length >= maxMatches) break
      matches.push(...(await findMatches(file, (text(args['pattern']) ?? '').toLowerCase(), places).catch(() => [])))
    }
    const rest = files > maxFiles || matches.length > maxMatches ? '\n[there may be more]' : ''
    return { text: matches.length === 0 ? `no matches in ${files} files` : matches.slice(0, maxMatches).join('\n') + rest }
  },
}
