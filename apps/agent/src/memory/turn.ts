// What the agent was doing, kept over its own death: an act is noted before it is done, and never done again for the same message.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { complain } from '../complain.ts'
import { fields, text } from '../host/fields.ts'
import { writeAtomically } from './write-atomically.ts'

interface Turn {
  readonly message: string
  /** Absent while the act's outcome is not known. */
  readonly reply?: string | undefined
}

export interface TurnNotes {
  read(): Promise<Turn | null>
  /** On disk before it resolves. Without a memory that can be written, nothing is kept. */
  write(turn: Turn): Promise<void>
}

export const openTurnNotes = (memory: string, session: string): TurnNotes => {
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
