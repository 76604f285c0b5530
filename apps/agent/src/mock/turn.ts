// How the mock agent deals with one message: replies at least once, acts at most once.
import type { Message, SessionClient } from '../host/session.ts'
import { sendReply } from '../inbox.ts'
import type { TurnNotes } from '../memory/turn.ts'
import type { Say } from './builtin.ts'
import type { Command } from './command.ts'

export interface TurnParts {
  readonly session: SessionClient
  readonly notes: TurnNotes
  read(text: string): Command
  answer(command: Command, say: Say): Promise<string>
}

const acts = (command: Command): boolean => command.type === 'tool' || command.type === 'request'

/** For an act whose message came again, what was noted stands. */
const replyTo = async (message: Message, parts: TurnParts): Promise<string> => {
  const { notes, session } = parts
  // The answer itself is the first.
  const say: Say = (text, files) => sendReply(session, { id: `r-${message.id}-2`, text, files }, message.id)
  const command = parts.read(message.text)
  if (!acts(command)) return parts.answer(command, say)
  const noted = await notes.read()
  if (noted?.message === message.id)
    return noted.reply ?? 'outcome unknown: I was stopped before the answer came, and do not try again by myself'
  await notes.write({ message: message.id })
  const reply = await parts.answer(command, say)
  await notes.write({ message: message.id, reply })
  return reply
}

export const takeTurn = async (message: Message, parts: TurnParts): Promise<void> => {
  if (message.from !== 'user') return
  await sendReply(parts.session, { id: `r-${message.id}-1`, text: await replyTo(message, parts) }, message.id)
}
