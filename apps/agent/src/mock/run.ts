// The mock agent at work.
import type { SessionClient, SessionInfo } from '../host/session.ts'
import type { ToolsClient } from '../host/tools.ts'
import { eachMessage } from '../inbox.ts'
import type { Places } from '../tools/own.ts'
import { openTurnNotes } from '../memory/turn.ts'
import { answer } from './answer.ts'
import { readCommand } from './command.ts'
import { takeTurn, type TurnParts } from './turn.ts'

export interface MockParts {
  readonly session: SessionClient
  readonly tools: ToolsClient | null
  readonly info: SessionInfo
  readonly places: Places
  readonly signal: AbortSignal
}

/** Asked for at launch. A list that was refused is asked for again by whoever wants it next. */
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
  const around = { session, tools, toolNames: listedOnce(tools), info, places, signal }
  const notes = openTurnNotes(places.memory, info.session)
  const parts: TurnParts = { session, notes, read: readCommand, answer: (command, say) => answer(command, { ...around, say }) }
  return eachMessage(session, (message) => takeTurn(message, parts))
}
