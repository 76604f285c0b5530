// Runs the mock agent: replies at least once to each message, and runs a tool call or a request at most once.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { complain } from '../complain.ts'
import { fields, text } from '../host/fields.ts'
import type { Message, SessionClient, SessionInfo } from '../host/session.ts'
import type { ToolsClient } from '../host/tools.ts'
import { eachMessage, sendReply } from '../inbox.ts'
import type { Places } from '../tools/own.ts'
import { writeAtomically } from '../write-atomically.ts'
import { answer, type Command, readCommand } from './answer.ts'
import type { Say } from './builtin.ts'

/** What the agent was doing, kept on disk: an action is noted before it runs, and never runs again for the same message. */
interface Turn {
  readonly message: string
  /** Absent while the act's outcome is not known. */
  readonly reply?: string | undefined
}

interface TurnNotes {
  read(): Promise<Turn | null>
  /** On disk before it resolves. Without a memory that can be written, nothing is kept. */
  write(turn: Turn): Promise<void>
}

const openTurnNotes = (memory: string, session: string): TurnNotes => {
  const path = join(memory, `.turn-${session}.json`)
  return {
    read: async () => {
      try {
        const note = fields(JSON.parse(await readFile(path, 'utf8')))
        const message = text(note['message'])
        return message === undefined ? null : { message, reply: text(note['reply']) }
      } catch {
        return null
      }
    },
    write: async (turn) => {
      try {
        await writeAtomically(path, JSON.stringify(turn))
      } catch (error) {
        complain(`the turn cannot be noted in ${memory}: ${error instanceof Error ? error.message : String(error)}`)
      }
    },
  }
}

interface TurnParts {
  readonly session: SessionClient
  readonly notes: TurnNotes
  answer(command: Command, say: Say): Promise<string>
}

const isAction = (command: Command): boolean => command.type === 'tool' || command.type === 'request'

/** A message that is delivered again gets the noted reply; its action is not repeated. */
const replyTo = async (message: Message, parts: TurnParts): Promise<string> => {
  const { notes, session } = parts
  // The answer itself is number 1.
  const say: Say = (text, files) => sendReply(session, { id: `r-${message.id}-2`, text, files }, message.id)
  const command = readCommand(message.text)
  if (!isAction(command)) return parts.answer(command, say)
  const noted = await notes.read()
  if (noted?.message === message.id)
    return noted.reply ?? 'outcome unknown: I was stopped before the answer came, and do not try again by myself'
  await notes.write({ message: message.id })
  const reply = await parts.answer(command, say)
  await notes.write({ message: message.id, reply })
  return reply
}

const takeTurn = async (message: Message, parts: TurnParts): Promise<void> => {
  if (message.from !== 'user') return
  await sendReply(parts.session, { id: `r-${message.id}-1`, text: await replyTo(message, parts) }, message.id)
}

export interface MockParts {
  readonly session: SessionClient
  readonly tools: ToolsClient | null
  readonly info: SessionInfo
  readonly places: Places
  readonly signal: AbortSignal
}

/** Lists the tools at launch. A failed list is requested again by the next caller. */
const listedOnce = (tools: ToolsClient | null): (() => Promise<readonly string[]>) => {
  let listed: Promise<readonly string[]> | undefined
  const names = (): Promise<readonly string[]> => {
    const asked = (listed ??= tools === null ? Promise.resolve([]) : tools.list().then((found) => found.map(({ name }) => name)))
    asked.catch(() => {
      if (listed === asked) listed = undefined
    })
    return asked
  }
  names().catch(() => undefined)
  return names
}

export const runMock = ({ session, tools, info, places, signal }: MockParts): Promise<never> => {
  const context = { session, tools, toolNames: listedOnce(tools), info, places, signal }
  const notes = openTurnNotes(places.memory, info.session)
  const parts: TurnParts = { session, notes, answer: (command, say) => answer(command, { ...context, say }) }
  return eachMessage(session, (message) => takeTurn(message, parts))
}
