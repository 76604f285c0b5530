// Tools by which the agent speaks, remembers, and knows itself.
import { appendFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from '../host/fields.ts'
import { failed, objectOf, type OwnTool } from './own.ts'

/** Read into the instructions of every later conversation of the group. */
export const notesFile = 'notes.md'

export const sendMessage: OwnTool = {
  name: 'send_message',
  description: 'Sends a message to the human now, while you go on. Your last words are sent by themselves: do not send them twice.',
  schema: objectOf({ text: { type: 'string', minLength: 1 } }),
  repeatable: false,
  run: async (args, around) =>
    (await around.say(text(args['text']) ?? '')) ? { text: 'sent' } : failed('the host did not take the message'),
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
