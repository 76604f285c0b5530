// Starts the sample program as a user would.
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

export const main = join(import.meta.dirname, '../src/main.ts')

export interface Listening {
  readonly url: string
  readonly child: ChildProcess
}

/** Resolves when the program has said where it listens. */
export const startHttp = async (address: string): Promise<Listening> => {
  const child = spawn(process.execPath, [main, '--http', address], { stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  for await (const chunk of child.stderr) {
    said += String(chunk)
    const url = /listens on (http:\S+)/.exec(said)?.[1]
    if (url !== undefined) return { url, child }
  }
  throw new Error(`the sample ended: ${said}`)
}

export const stop = async (child: ChildProcess): Promise<number | null> => {
  if (child.exitCode !== null) return child.exitCode
  const gone = once(child, 'exit')
  child.kill('SIGTERM')
  await gone
  return child.exitCode
}

/** Runs it to its end. */
export const runToEnd = async (args: readonly string[]): Promise<{ code: number | null; stdout: string; stderr: string }> => {
  const child = spawn(process.execPath, [main, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  return { code: child.exitCode, stdout, stderr }
}
