// The agent program in a sandbox: connects to its sockets, reads its session, and answers messages until it is stopped.
import { exits, sandboxSockets } from '@gatehouse/contracts'
import { logError } from './log-error.ts'
import { createSession } from './host/session.ts'
import { connectTools } from './host/tools.ts'
import { runMock } from './mock/run.ts'

const places = {
  session: process.env['GATEHOUSE_SESSION_SOCKET'] ?? sandboxSockets.session,
  tools: process.env['GATEHOUSE_TOOLS_SOCKET'] ?? sandboxSockets.tools,
  model: process.env['GATEHOUSE_MODEL_SOCKET'] ?? sandboxSockets.model,
  memory: process.env['GATEHOUSE_MEMORY'] ?? '/memory',
  workspace: process.env['GATEHOUSE_WORKSPACE'] ?? '/workspace',
  shared: process.env['GATEHOUSE_SHARED'] ?? '/shared',
  mnt: process.env['GATEHOUSE_MNT'] ?? '/mnt',
}

const milliseconds = (name: string, fallback: number): number => Number(process.env[name] ?? fallback)

const waits = {
  idle: milliseconds('GATEHOUSE_MODEL_IDLE', 150_000),
  absent: milliseconds('GATEHOUSE_MODEL_ABSENT', 60_000),
  later: milliseconds('GATEHOUSE_MODEL_LATER', 60_000),
}

/** Whether the host process ended before the agent started, where no driver would end the agent with it. */
const isOrphan = (): boolean => {
  const host = process.env['GATEHOUSE_HOST']
  return host !== undefined && process.ppid !== Number(host)
}

const run = async (signal: AbortSignal): Promise<void> => {
  const session = createSession(places.session, signal)
  const tools = await connectTools(places.tools, signal)
  const info = await session.info()
  const parts = { session, tools, info, places, signal }
  if (info.agent === 'mock') return runMock(parts)
  if (info.agent === 'model' && info.model !== undefined) {
    // Loaded only if needed: it is five hundred times as large as the rest.
    const { runModel } = await import('./model/run.ts')
    return runModel({ ...parts, waits, model: info.model })
  }
  const unsupported = info.agent === 'model' ? 'model without a model' : info.agent
  logError(`unsupported agent: ${unsupported} (must be mock, or model with a model)`)
  process.exitCode = exits.configuration
}

const ending = new AbortController()
for (const name of ['SIGTERM', 'SIGINT'] as const) process.on(name, () => ending.abort())

const main = async (): Promise<void> => {
  try {
    await run(ending.signal)
  } catch (error) {
    if (ending.signal.aborted) return
    logError(error instanceof Error ? (error.stack ?? error.message) : String(error))
    process.exitCode = 1
  }
}

// Not awaited: the lazily loaded part imports modules of this file and would deadlock.
if (!isOrphan()) void main()
