// Runs the program as a user would: in a pipe, or at a terminal of `script`.
import { spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { text as readAll } from 'node:stream/consumers'

const program = join(import.meta.dirname, '../bin/run.ts')
/** Of this user alone, as in his home. */
const cache = join(tmpdir(), `svcctl-test-cache-${userInfo().uid}`)
mkdirSync(cache, { recursive: true, mode: 0o700 })

export interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string
}

const run = async (file: string, args: readonly string[], { env = {}, input = '' }: RunOptions): Promise<Ended> => {
  const child = spawn(file, args, {
    env: { PATH: process.env['PATH'], XDG_CACHE_HOME: cache, HOME: '/nonexistent', TERM: 'xterm', ...env },
  })
  child.stdin.on('error', () => undefined).end(input)
  const code = new Promise<number>((resolve) => child.once('close', (status) => resolve(status ?? -1)))
  const [stdout, stderr] = await Promise.all([readAll(child.stdout), readAll(child.stderr)])
  return { code: await code, stdout, stderr }
}

export const svcctl = (args: readonly string[], options: RunOptions = {}): Promise<Ended> =>
  run(process.execPath, [program, ...args], options)

const quote = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`

/** Both streams come as one, with the line ends of a terminal made plain. */
export const svcctlAtTerminal = async (args: readonly string[], options: RunOptions = {}): Promise<Ended> => {
  const command = [process.execPath, program, ...args].map(quote).join(' ')
  const ended = await run('script', ['-qec', command, '/dev/null'], { ...options, env: { SHELL: '/bin/sh', ...options.env } })
  return { ...ended, stdout: ended.stdout.replaceAll('\r\n', '\n') }
}
