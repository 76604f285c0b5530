// A fixture program that answers each line on its stdin with one line on its stdout.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface, type Interface } from 'node:readline'
import type { TestContext } from 'node:test'

interface Command {
  readonly args: readonly string[]
  /** Of Node. */
  readonly flags?: readonly string[]
}

export interface Program {
  readonly pid: number
  /** The next line that it prints. */
  line(): Promise<string>
  ask(line: string): Promise<string>
  /** SIGKILL; resolves when it is gone. */
  kill(): Promise<void>
}

const lineReader = (child: ChildProcess, lines: Interface): (() => Promise<string>) => {
  const iterator = lines[Symbol.asyncIterator]()
  return async () => {
    const { value, done } = await iterator.next()
    if (done === true) throw new Error(`the program ended with ${child.exitCode ?? child.signalCode}`)
    return value
  }
}

export const start = (t: TestContext, fixture: string, { args, flags = [] }: Command): Program => {
  const command = [...flags, join(import.meta.dirname, 'fixtures', fixture), ...args]
  const child = spawn(process.execPath, command, { stdio: ['pipe', 'pipe', 'inherit'] })
  const ended = once(child, 'exit')
  const line = lineReader(child, createInterface(child.stdout))
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL')
    await ended
  }
  t.after(kill)
  return {
    pid: child.pid ?? 0,
    line,
    ask: (text) => {
      child.stdin.write(`${text}\n`)
      return line()
    },
    kill,
  }
}

const limiter = 'prlimit'
const tracer = 'strace'
const isThere = (program: string): boolean => spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0

/** Why writes cannot be made to fail; false where they can. */
export const noLimiter = isThere(limiter) ? false : 'needs prlimit, install util-linux'
/** Why syncs cannot be made to fail; false where they can. */
export const noTracer = isThere(tracer) ? false : 'needs strace, install strace'

/** Bytes to which files may grow; `unlimited` lifts it. */
export const limitFiles = (pid: number, most: string): void => {
  const { status, stderr } = spawnSync(limiter, ['--pid', String(pid), `--fsize=${most}:`], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`prlimit: ${stderr}`)
}

/** Every sync of the process fails with EIO until the function that it gives is called. */
export const failSyncs = async (pid: number): Promise<() => Promise<void>> => {
  const tracing = spawn(tracer, ['-f', '-p', String(pid), '-e', 'trace=fsync,fdatasync', '-e', 'inject=fsync,fdatasync:error=EIO'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const ended = once(tracing, 'exit')
  const [first] = (await Promise.race([once(tracing.stderr, 'data'), ended])) as [unknown]
  if (!String(first).includes('attached')) throw new Error(`strace: ${String(first)}`)
  tracing.stderr.resume()
  return async () => {
    tracing.kill('SIGINT')
    await ended
  }
}
