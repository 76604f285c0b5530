// Runs the mock agent. It replies at least once to each message, and runs each tool call or change request at most once.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { logError } from '../log-error.ts'
import { fields, text } from '../host/fields.ts'
import type { Message, SessionClient, SessionInfo } from '../host/session.ts'
import type { ToolsClient } from '../host/tools.ts'
import { eachMessage, sendReply } from '../inbox.ts'
import type { Places } from '../tools/own.ts'
import { writeAtomically } from '../write-atomically.ts'
import { answer, type Command, readCommand } from './answer.ts'
import type { Say } from './builtin.ts'

/** The current action, stored before it runs, so it never runs twice for the same message. */
interface Turn {
  readonly message: string
  /** Absent while the outcome of the action is unknown. */
  readonly reply?: string | undefined
}

interface TurnNotes {
  read(): Promise<Turn | null>
  /** Resolves when it is on disk. Does nothing if the memory directory is not writable. */
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
        logError(`cannot store the current action in ${memory}: ${error instanceof Error ? error.message : String(error)}`)
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

/** A redelivered message gets the stored reply. Its action is not repeated. */
const replyTo = async (message: Message, parts: TurnParts): Promise<string> => {
  const { notes, session } = parts
  // The answer itself has number 1.
  const say: Say = (text, files) => sendReply(session, { id: `r-${message.id}-2`, text, files }, message.id)
  const command = readCommand(message.text)
  if (!isAction(command)) return parts.answer(command, say)
  const stored = await notes.read()
  if (stored?.message === message.id)
    return stored.reply ?? 'outcome unknown: I was stopped before the response arrived, and I do not retry'
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
const createToolLister = (tools: ToolsClient | null): (() => Promise<readonly string[]>) => {
  let listed: Promise<readonly string[]> | undefined
  const names = (): Promise<readonly string[]> => {
    const current = (listed ??= tools === null ? Promise.resolve([]) : tools.list().then((granted) => granted.map(({ name }) => name)))
    current.catch(() => {
      if (listed === current) listed = undefined
    })
    return current
  }
  names().catch(() => undefined)
  return names
}

export const runMock = ({ session, tools, info, places, signal }: MockParts): Promise<never> => {
  const context = { session, tools, toolNames: createToolLister(tools), info, places, signal }
  const notes = openTurnNotes(places.memory, info.session)
  const parts: TurnParts = { session, notes, answer: (command, say) => answer(command, { ...context, say }) }
  return eachMessage(session, (message) => takeTurn(message, parts))
}
