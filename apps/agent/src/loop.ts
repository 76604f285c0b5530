// Takes messages from the inbox one after another, answers each, and acknowledges it: replies at least once, acts at most once.
import { limits } from '@gatehouse/contracts'
import { complain } from './complain.ts'
import { fields } from './host/fields.ts'
import type { Message, SessionClient } from './host/session.ts'
import type { TurnNotes } from './memory/turn.ts'
import type { Command } from './mock/command.ts'

/** What is beyond is cut where people see it. */
const longestReply = limits.messageText
const cutMark = '\n[cut: the answer was longer than 256 KiB]'

export interface LoopParts {
  readonly session: SessionClient
  readonly notes: TurnNotes
  read(text: string): Command
  answer(command: Command): Promise<string>
}

const fit = (reply: string): string => {
  if (Buffer.byteLength(reply) <= longestReply) return reply
  const kept = Buffer.from(reply).subarray(0, longestReply - cutMark.length - 4)
  return `${kept.toString('utf8').replace(/\uFFFD+$/, '')}${cutMark}`
}

const acts = (command: Command): boolean => command.type === 'tool' || command.type === 'request'

/** For an act whose message came again, what was noted stands. */
const replyTo = async (message: Message, parts: LoopParts): Promise<string> => {
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

const handle = async (message: Message, parts: LoopParts): Promise<void> => {
  if (message.from === 'user') {
    const text = fit(await replyTo(message, parts))
    const { status, body } = await parts.session.reply({ id: `r-${message.id}-1`, text, inReplyTo: message.id })
    if (status >= 400) complain(`the host refused a reply with ${status}: ${JSON.stringify(fields(body)['detail'] ?? null)}`)
  }
  await parts.session.acknowledge(message.id)
}

/** Runs until the signal given to the session is aborted; then it rejects with the signal's reason. */
export const runLoop = async (parts: LoopParts): Promise<never> => {
  for (;;) {
    for (const message of await parts.session.inbox()) await handle(message, parts)
  }
}
