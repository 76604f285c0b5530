// The program inside a sandbox: finds its sockets, asks who it is, and answers messages until it is told to end.
import { exits, sandboxSockets } from '@gatehouse/contracts'
import { complain } from './complain.ts'
import { createSession } from './host/session.ts'
import { connectTools, type ToolsClient } from './host/tools.ts'
import { runLoop } from './loop.ts'
import { openTurnNotes } from './memory/turn.ts'
import { answer } from './mock/answer.ts'
import { readCommand } from './mock/command.ts'

const places = {
  session: process.env['GATEHOUSE_SESSION_SOCKET'] ?? sandboxSockets.session,
  tools: process.env['GATEHOUSE_TOOLS_SOCKET'] ?? sandboxSockets.tools,
  memory: process.env['GATEHOUSE_MEMORY'] ?? '/memory',
}

/** Asked for at launch. A list that was refused is asked for again by whoever wants it next. */
const listedOnce = (tools: ToolsClient | null): (() => Promise<readonly string[]>) => {
  let listed: Promise<readonly string[]> | undefined
  const names = (): Promise<readonly string[]> => {
    const asked = (listed ??= tools === null ? Promise.resolve([]) : tools.list())
    asked.catch(() => {
      if (listed === asked) listed = undefined
    })
    return asked
  }
  names().catch(() => undefined)
  return names
}

const run = async (signal: AbortSignal): Promise<void> => {
  const session = createSession(places.session, signal)
  const tools = await connectTools(places.tools, signal)
  const info = await session.info()
  if (info.agent !== 'mock') {
    complain(`expected a group whose agent is mock, got ${info.agent}: this agent has no model loop`)
    process.exitCode = exits.configuration
    return
  }
  const around = { session, tools, toolNames: listedOnce(tools), own: info }
  await runLoop({
    session,
    notes: openTurnNotes(places.memory, info.session),
    read: readCommand,
    answer: (command) => answer(command, around),
  })
}

const ending = new AbortController()
for (const name of ['SIGTERM', 'SIGINT'] as const) process.on(name, () => ending.abort())

try {
  await run(ending.signal)
} catch (error) {
  if (!ending.signal.aborted) {
    complain(error instanceof Error ? (error.stack ?? error.message) : String(error))
    process.exitCode = 1
  }
}
