// The built-in tools that send messages, keep notes, and read the instructions of the agent.
import { appendFile } from 'node:fs/promises'
import { join } from 'node:path'
import { limits } from '@gatehouse/contracts'
import { list, text } from '../host/fields.ts'
import { failed, objectOf, type OwnTool, type Places } from './own.ts'
import { findPlace, nameOf, NotHere } from './paths.ts'

/** Read into the instructions of every later conversation of the group. */
export const notesFile = 'notes.md'

const MiB = 1024 * 1024

/** As the host knows them: a link is what it leads to. */
const sendable = async (path: string, places: Places): Promise<string> => {
  const name = await nameOf(await findPlace(path, 'read', places), places)
  if (/^\/(?:workspace|memory)\//.test(name)) return name
  throw new NotHere(`expected a file below /workspace or /memory, got ${path}. Copy it there first`)
}

export const sendMessage: OwnTool = {
  name: 'send_message',
  description:
    'Sends a message to the human now, while you go on; with files if you name some, as they are at this moment. Your last words are sent by themselves: do not send them twice.',
  schema: objectOf(
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
    const files = await Promise.all(paths.map((path) => sendable(path, context.places)))
    const refusal = await context.say(text(args['text']) ?? '', files)
    return refusal === undefined ? { text: 'sent' } : failed(`the host did not take the message: ${refusal}`)
  },
}

export const readPersona: OwnTool = {
  name: 'read_persona',
  description: 'Gives the instructions that you were launched with.',
  schema: objectOf({}),
  repeatable: true,
  run: (_args, { info }) => Promise.resolve({ text: info.persona === '' ? 'you have no instructions' : info.persona }),
}

export const remember: OwnTool = {
  name: 'remember',
  description: 'Keeps a short note that you are shown in every later conversation.',
  schema: objectOf({ text: { type: 'string', minLength: 1, maxLength: 4096 } }),
  repeatable: false,
  run: async (args, { places }) => {
    const note = (text(args['text']) ?? '').replaceAll(/\s+/g, ' ').trim()
    await appendFile(join(places.memory, notesFile), `- ${note}\n`, { mode: 0o600 })
    return { text: 'noted' }
  },
}
