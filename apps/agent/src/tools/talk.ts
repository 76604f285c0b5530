// The built-in tools that send messages, keep notes, and read the instructions of the agent.
import { appendFile } from 'node:fs/promises'
import { join } from 'node:path'
import { limits } from '@gatehouse/contracts'
import { list, text } from '../host/fields.ts'
import { failed, objectSchema, type OwnTool, type Places } from './own.ts'
import { resolvePath, toModelPath, PathRefused } from './paths.ts'

/** Notes that are added to the instructions of every later conversation of the group. */
export const notesFile = 'notes.md'

const MiB = 1024 * 1024

/** The path for the host, with links resolved. */
const toSendablePath = async (path: string, places: Places): Promise<string> => {
  const name = await toModelPath(await resolvePath(path, 'read', places), places)
  if (/^\/(?:workspace|memory)\//.test(name)) return name
  throw new PathRefused(`the file must be below /workspace or /memory (got ${path}). Copy it there first`)
}

export const sendMessage: OwnTool = {
  name: 'send_message',
  description:
    'Sends a message to the user now, while you continue, optionally with the current content of files. Your final answer is sent automatically: do not send it with this tool.',
  schema: objectSchema(
    {
      text: { type: 'string', minLength: 1 },
      files: {
        type: 'array',
        items: { type: 'string' },
        maxItems: limits.sentFiles,
        description: `paths below /workspace or /memory; at most ${limits.file / MiB} MiB each and ${limits.sentBytes / MiB} MiB together`,
      },
    },
    ['text'],
  ),
  repeatable: false,
  run: async (args, context) => {
    const paths = list(args['files']).flatMap((path) => text(path) ?? [])
    const files = await Promise.all(paths.map((path) => toSendablePath(path, context.places)))
    const refusal = await context.say(text(args['text']) ?? '', files)
    return refusal === undefined ? { text: 'sent' } : failed(`the host refused the message: ${refusal}`)
  },
}

export const readPersona: OwnTool = {
  name: 'read_persona',
  description: 'Returns your instructions.',
  schema: objectSchema({}),
  repeatable: true,
  run: (_args, { info }) => Promise.resolve({ text: info.persona === '' ? 'you have no instructions' : info.persona }),
}

export const remember: OwnTool = {
  name: 'remember',
  description: 'Saves a short note that you see in every later conversation.',
  schema: objectSchema({ text: { type: 'string', minLength: 1, maxLength: 4096 } }),
  repeatable: false,
  run: async (args, { places }) => {
    const note = (text(args['text']) ?? '').replaceAll(/\s+/g, ' ').trim()
    await appendFile(join(places.memory, notesFile), `- ${note}\n`, { mode: 0o600 })
    return { text: 'noted' }
  },
}
