// Runs the program as a user would: in a pipe, or at a terminal of `script`.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text as readAll } from 'node:stream/consumers'

const bundle = join(import.meta.dirname, '../../../dist/svcctl/svcctl.mjs')
/** The bundle that people run, where it was built just before; else the source, which is never old. */
export const program = process.env['CI'] === 'true' && existsSync(bundle) ? bundle : join(import.meta.dirname, '../bin/run.ts')
const many = join(import.meta.dirname, 'fixtures/many.ts')
/** Kept between runs, so that a start is as quick as in a home. */
export const cache = join(import.meta.dirname, '../../../node_modules/.cache')

export interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string
}

export interface TerminalOptions extends Pick<RunOptions, 'env'> {
  /** What is typed, each once the words before it have appeared. */
  readonly typed?: readonly (readonly [words: string, keys: string])[]
}

const start = (
  file: string,
  args: readonly string[],
  { env, cwd = process.cwd() }: { readonly env: RunOptions['env']; readonly cwd?: string },
): ChildProcessWithoutNullStreams => {
  const child = spawn(file, args, {
    cwd,
    env: { PATH: process.env['PATH'], XDG_CACHE_HOME: cache, HOME: '/nonexistent', TERM: 'xterm', ...env },
  })
  child.stdin.on('error', () => undefined)
  return child
}

const end = async (child: ChildProcessWithoutNullStreams): Promise<Ended> => {
  const code = new Promise<number>((resolve) => child.once('close', (status) => resolve(status ?? -1)))
  const [stdout, stderr] = await Promise.all([readAll(child.stdout), readAll(child.stderr)])
  return { code: await code, stdout, stderr }
}

export const svcctl = (args: readonly string[], { env, input = '' }: RunOptions = {}): Promise<Ended> => {
  const child = start(process.execPath, [program, ...args], { env })
  child.stdin.end(input)
  return end(child)
}

/** The same for many command lines, in one process and in their order. */
export const svcctlMany = async (
  lines: readonly (readonly string[])[],
  { env, cwd }: Pick<RunOptions, 'env'> & { readonly cwd: string },
): Promise<Ended[]> => {
  const child = start(process.execPath, [many], { env, cwd })
  child.stdin.end(JSON.stringify(lines))
  const { stdout, stderr, code } = await end(child)
  if (code !== 0) throw new Error(`expected the fixture to end with 0, got ${code}: ${stderr}`)
  return JSON.parse(stdout) as Ended[]
}

const quote = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`

/** As `svcctlMany`, where stdout is a terminal; nobody sits at it to be asked. */
export const svcctlManyAtTerminal = async (
  lines: readonly (readonly string[])[],
  { env, cwd }: Pick<RunOptions, 'env'> & { readonly cwd: string },
): Promise<Ended[]> => {
  const [asked, told] = [join(cwd, 'asked.json'), join(cwd, 'told.json')]
  writeFileSync(asked, JSON.stringify(lines))
  const command = `stty columns 100 && ${[process.execPath, many, told].map(quote).join(' ')} <${quote(asked)}`
  const child = start('script', ['-qec', command, '/dev/null'], { env: { SHELL: '/bin/sh', NO_COLOR: '1', ...env }, cwd })
  child.stdin.end()
  const { stdout, code } = await end(child)
  if (code !== 0) throw new Error(`expected the fixture to end with 0, got ${code}: ${stdout}`)
  return JSON.parse(readFileSync(told, 'utf8')) as Ended[]
}

/** Both streams come as one, with the line ends of a terminal made plain. */
export const svcctlAtTerminal = async (args: readonly string[], { env, typed = [] }: TerminalOptions = {}): Promise<Ended> => {
  const command = [process.execPath, program, ...args].map(quote).join(' ')
  const child = start('script', ['-qec', command, '/dev/null'], { env: { SHELL: '/bin/sh', ...env } })
  const waiting = [...typed]
  let seen = ''
  child.stdout.on('data', (chunk: Buffer) => {
    seen += chunk.toString()
    const [next] = waiting
    if (next === undefined || !seen.includes(next[0])) return
    waiting.shift()
    seen = ''
    child.stdin.write(next[1])
  })
  const ended = await end(child)
  return { ...ended, stdout: ended.stdout.replaceAll('\r\n', '\n') }
}
