// The built-in tools that read, write and list files of the group.
import { mkdir, readdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { limits } from '@gatehouse/contracts'
import { text } from '../host/fields.ts'
import { writeAtomically } from '../write-atomically.ts'
import { failed, objectSchema, type OwnTool } from './own.ts'
import { resolvePath, readStart } from './paths.ts'

const path = { type: 'string', description: 'below /workspace, /memory, /mnt or /shared; relative paths are below /workspace' }
const maxEntries = 1000

export const readFile: OwnTool = {
  name: 'read_file',
  description: 'Reads a text file.',
  schema: objectSchema({ path }),
  repeatable: true,
  run: async (args, { places }) => {
    const { bytes, size } = await readStart(await resolvePath(text(args['path']) ?? '', 'read', places), limits.resultText)
    if (bytes.includes(0)) return failed(`not a text file: ${size} bytes`)
    const cut = size > bytes.length ? `\n[truncated: the file has ${size} bytes]` : ''
    return { text: bytes.toString('utf8').replace(/\uFFFD{1,3}$/, '') + cut }
  },
}

export const writeFile: OwnTool = {
  name: 'write_file',
  description: 'Writes a text file, replacing an existing one. Creates missing directories.',
  schema: objectSchema({
    path: { ...path, description: 'below /workspace, /memory or /mnt; relative paths are below /workspace' },
    text: { type: 'string' },
  }),
  repeatable: true,
  run: async (args, { places }) => {
    const target = await resolvePath(text(args['path']) ?? '', 'write', places)
    const content = text(args['text']) ?? ''
    await mkdir(dirname(target), { recursive: true })
    await writeAtomically(target, content)
    return { text: `wrote ${Buffer.byteLength(content)} bytes` }
  },
}

export const listDir: OwnTool = {
  name: 'list_dir',
  description: 'Lists a directory. Names of directories end with a slash.',
  schema: objectSchema({ path }),
  repeatable: true,
  run: async (args, { places }) => {
    const target = await resolvePath(text(args['path']) ?? '', 'read', places)
    const entries = (await readdir(target, { withFileTypes: true })).filter(({ name }) => target !== places.memory || !name.startsWith('.'))
    const shown = entries.slice(0, maxEntries).map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name))
    const rest = entries.length > shown.length ? `\n[and ${entries.length - shown.length} more]` : ''
    return { text: shown.length === 0 ? 'the directory is empty' : shown.toSorted().join('\n') + rest }
  },
}
