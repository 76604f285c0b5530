// How the mock agent deals with one message: replies at least once, acts at most once.
import type { Message, SessionClient } from '../host/session.ts'
import { sendReply } from '../inbox.ts'
import type { TurnNotes } from '../memory/turn.ts'
import type { Command } from './command.ts'

export interface TurnParts {
  readonly session: SessionClient
  readonly notes: TurnNotes
  read(text: string): Command
  answer(command: Command): Promise<string>
}

const acts = (command: Command): boolean => command.type === 'tool' || command.type === 'request'

/** For an act whose message came again, what was noted stands. */
const replyTo = async (message: Message, parts: TurnParts): Promise<string> => {
  const { notes } = parts
  const command = parts.read(message.text)
  if (!acts(command)) return parts.answer(command)
  const noted = await notes.read()
  if (noted?.message === message.id)
    return noted.reply ?? 'outcome unknown: I was stopped before the answer came, and do not try again by myself'
  await notes.write({ message: message.id })
  const reply = await parts.answer(command)
  await notes.write({ message: message.id, reply })
  return reply
}

export const takeTurn = async (message: Message, parts: TurnParts): Promise<void> => {
  if (message.from !== 'user') return
  await sendReply(parts.session, { id: `r-${message.id}-1`, text: await replyTo(message, parts) }, message.id)
}
