// The built-in tool `run_script`: an ES module run by Node inside the sandbox, with the approved packages to import.
import { spawn } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { fields, text } from '../host/fields.ts'
import { objectOf, type OwnTool } from './own.ts'

/** Milliseconds. */
const usualTime = 10_000
const longestTime = 60_000
/** Bytes of each stream that are kept. */
const mostOutput = 128 * 1024
const cutMark = '\n[cut: the output was longer than 128 KiB]'

export interface ScriptResult {
  readonly stdout: string
  readonly stderr: string
  /** Null where it was ended. */
  readonly exitCode: number | null
}

/** A sandbox has a process namespace of its own, in which the agent is among the first. */
const firstStranger = 64

/** A module that is read from the input imports as if it lay in the working directory. */
const packages = '/packages'

const refused = (why: string): ScriptResult => ({ stdout: '', stderr: `run_script: ${why}`, exitCode: null })

const gather = (stream: NodeJS.ReadableStream): (() => string) => {
  const chunks: Buffer[] = []
  let bytes = 0
  stream.on('data', (chunk: Buffer) => {
    if (bytes < mostOutput) chunks.push(chunk.subarray(0, mostOutput - bytes))
    bytes += chunk.byteLength
  })
  return () => `${Buffer.concat(chunks).toString('utf8')}${bytes > mostOutput ? cutMark : ''}`
}

/** All that began after the agent: within these walls nothing else is the agent's to keep, and no process may lead a group. */
const endAll = (): void => {
  for (const name of readdirSync('/proc')) {
    const pid = /^\d+$/.test(name) ? Number(name) : 0
    try {
      if (pid > process.pid) process.kill(pid, 'SIGKILL')
    } catch {
      // It has ended by itself.
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
    endAll()
  }, time)
  // What it left running may hold its output open.
  child.on('exit', endAll)
  const exitCode = await promise
  clearTimeout(timer)
  return { stdout: stdout(), stderr: `${stderr()}${isLate ? `\n[ended: it ran longer than ${time} ms]` : ''}`, exitCode }
}

/** Outside of a sandbox it would end what is not its own. */
const isInside = (): boolean => import.meta.filename.startsWith('/agent/') && process.pid < firstStranger

let last: Promise<unknown> = Promise.resolve()

/** One after another, since the end of one ends all that runs. Never rejects: what is wrong with the script is its result. */
export const runScript = async (args: unknown): Promise<ScriptResult> => {
  const { code, timeoutMs = usualTime } = fields(args)
  if (!isInside()) return refused('expected to be in a sandbox')
  const script = text(code)
  if (script === undefined) return refused('expected { code: string, timeoutMs?: number }')
  if (typeof timeoutMs !== 'number' || !Number.isInteger(timeoutMs) || timeoutMs < 1 || timeoutMs > longestTime) {
    return refused(`expected timeoutMs from 1 to ${longestTime}`)
  }
  const result = last.then(() => run(script, timeoutMs))
  last = result
  return result
}

/** `run_script` as a tool of the model. */
export const scriptTool: OwnTool = {
  name: 'run_script',
  description:
    'Runs an ES module by Node and returns its stdout, stderr and exit code. It may import the approved packages, read and write below /workspace, and has no network.',
  schema: objectOf({ code: { type: 'string' }, timeoutMs: { type: 'integer', minimum: 1, maximum: 60_000 } }, ['code']),
  // It may have had effects.
  repeatable: false,
  run: async (args) => {
    const result = await runScript(args)
    return { text: JSON.stringify(result), ...(result.exitCode === 0 ? {} : { failed: true }) }
  },
}
