// The built-in tool `run_script`: runs an ES module with Node.js in the sandbox, which can import the approved packages.
import { spawn } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { fields, text } from '../host/fields.ts'
import { objectSchema, type OwnTool } from './own.ts'

/** Milliseconds. */
const defaultTime = 10_000
const maxTime = 60_000
/** Maximum bytes of each stream. */
const maxOutput = 128 * 1024
const cutMark = '\n[truncated: the output was longer than 128 KiB]'

export interface ScriptResult {
  readonly stdout: string
  readonly stderr: string
  /** Null if the script was killed. */
  readonly exitCode: number | null
}

/** A sandbox has its own process namespace, in which the agent has a small process id. */
const maxAgentPid = 64

/** A module from standard input resolves imports from the working directory. */
const packages = '/packages'

const refused = (why: string): ScriptResult => ({ stdout: '', stderr: `run_script: ${why}`, exitCode: null })

const gather = (stream: NodeJS.ReadableStream): (() => string) => {
  const chunks: Buffer[] = []
  let bytes = 0
  stream.on('data', (chunk: Buffer) => {
    if (bytes < maxOutput) chunks.push(chunk.subarray(0, maxOutput - bytes))
    bytes += chunk.byteLength
  })
  return () => `${Buffer.concat(chunks).toString('utf8')}${bytes > maxOutput ? cutMark : ''}`
}

/** Kills all processes that started after the agent: in the sandbox they can only belong to scripts. */
const killAll = (): void => {
  for (const name of readdirSync('/proc')) {
    const pid = /^\d+$/.test(name) ? Number(name) : 0
    try {
      if (pid > process.pid) process.kill(pid, 'SIGKILL')
    } catch {
      // The process has already exited.
    }
  }
}

const run = async (code: string, time: number): Promise<ScriptResult> => {
  const cwd = existsSync(packages) ? packages : '/'
  const child = spawn(process.execPath, ['--input-type=module', '-'], { cwd, env: { HOME: '/workspace' } })
  const [stdout, stderr] = [gather(child.stdout), gather(child.stderr)]
  const { promise, resolve } = Promise.withResolvers<number | null>()
  child.on('error', () => resolve(null))
  child.on('close', (exitCode) => resolve(exitCode))
  child.stdin.on('error', () => undefined)
  child.stdin.end(code)
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    killAll()
  }, time)
  // Remaining child processes may keep its output open.
  child.on('exit', killAll)
  const exitCode = await promise
  clearTimeout(timer)
  return { stdout: stdout(), stderr: `${stderr()}${isLate ? `\n[killed: it ran longer than ${time} ms]` : ''}`, exitCode }
}

/** Outside a sandbox it would kill other processes. */
const isInside = (): boolean => import.meta.filename.startsWith('/agent/') && process.pid < maxAgentPid

let last: Promise<unknown> = Promise.resolve()

/** Runs scripts one at a time, because the end of one kills all processes. Never rejects: an error is part of the result. */
export const runScript = async (args: unknown): Promise<ScriptResult> => {
  const { code, timeoutMs = defaultTime } = fields(args)
  if (!isInside()) return refused('only available in a sandbox')
  const script = text(code)
  if (script === undefined) return refused('the arguments must be { code: string, timeoutMs?: number }')
  if (typeof timeoutMs !== 'number' || !Number.isInteger(timeoutMs) || timeoutMs < 1 || timeoutMs > maxTime) {
    return refused(`timeoutMs must be from 1 to ${maxTime}`)
  }
  const result = last.then(() => run(script, timeoutMs))
  last = result
  return result
}

/** `run_script` as a tool of the model. */
export const scriptTool: OwnTool = {
  name: 'run_script',
  description:
    'Runs an ES module with Node.js and returns its stdout, stderr and exit code. It can import the approved packages, read and write below /workspace, and has no network.',
  schema: objectSchema({ code: { type: 'string' }, timeoutMs: { type: 'integer', minimum: 1, maximum: 60_000 } }, ['code']),
  // It may have had effects.
  repeatable: false,
  run: async (args) => {
    const result = await runScript(args)
    return { text: JSON.stringify(result), ...(result.exitCode === 0 ? {} : { failed: true }) }
  },
}
