// What the agent was doing, kept over its own death: an act is noted before it is done, and never done again for the same message.
import { open, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { complain } from '../complain.ts'
import { fields, text } from '../host/fields.ts'

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
      const fresh = `${path}.new`
      try {
        const file = await open(fresh, 'w', 0o600)
        try {
          await file.writeFile(JSON.stringify(turn))
          await file.sync()
        } finally {
          await file.close()
        }
        await rename(fresh, path)
      } catch (error) {
        complain(`the turn cannot be noted in ${memory}: ${error instanceof Error ? error.message : String(error)}`)
      }
    },
  }
}
