// Starts a local server as an unisolated host process: no shell, an environment built from nothing, a process group of its own.
import { randomUUID } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import type { Readable, Writable } from 'node:stream'
import { endsWithin } from '@gatehouse/kernel'
import { limits, type ServerImage } from '@gatehouse/contracts'
import { execa } from 'execa'
import { UpstreamFailure } from '../base/failure.ts'
import { findCommand, findEnclosure, serverPath } from './command.ts'

/** Every process of a server inherits this variable: it finds those that left the process group where the host has no process namespace. */
export const markVariable = 'GATEHOUSE_SERVER'

const isMarked = async (pid: number, mark: string): Promise<boolean> => {
  const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '')
  return environment.split('\0').includes(`${markVariable}=${mark}`)
}

const kill = (pid: number): void => {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // Gone by itself.
  }
}

/** Kills the marked processes of now; processes that they start in the meantime are found by the next round. */
export const killOrphans = async (mark: string): Promise<void> => {
  for (let round = 0; round < 8; round += 1) {
    const pids = (await readdir('/proc').catch(() => [])).map(Number).filter((pid) => pid > 1 && pid !== process.pid)
    const marked = await Promise.all(pids.map(async (pid) => ((await isMarked(pid, mark)) ? pid : 0)))
    const orphans = marked.filter((pid) => pid !== 0)
    if (orphans.length === 0) return
    for (const pid of orphans) kill(pid)
  }
}

export interface Program {
  readonly command: string
  readonly args: readonly string[]
  /** Declared variables, expanded. */
  readonly env: Readonly<Record<string, string>>
  /** Private directory: its home and its working directory. */
  readonly directory: string
}

export interface RunningProgram {
  /** Null where it is not a process of this host's own. */
  readonly pid: number | null
  readonly stdin: Writable
  readonly stdout: Readable
  readonly stderr: Readable
  /** Resolves when the process is gone and its last output is read. */
  readonly gone: Promise<void>
  /** End of input, then SIGTERM, then SIGKILL, the last two to the whole group. */
  stop(): Promise<void>
  /** The image that it runs in, if it does. */
  readonly image?: ServerImage | undefined
  /** Why it never ran, once it is gone. */
  readonly failure?: (() => UpstreamFailure | undefined) | undefined
}

const signalGroup = (pid: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(-pid, signal)
  } catch {
    // Nobody of the group is left.
  }
}

const prepare = async ({ command, args, env, directory }: Program) => {
  const { prefix, isWhole } = await findEnclosure()
  const mark = isWhole ? undefined : randomUUID()
  const environment = {
    PATH: serverPath,
    HOME: directory,
    PWD: directory,
    LANG: 'C.UTF-8',
    ...env,
    ...(mark !== undefined && { [markVariable]: mark }),
  }
  const file = await findCommand(command, environment.PATH)
  const [first, ...rest] = [...prefix, file, ...args]
  return { file: first ?? file, args: rest, environment, mark }
}

export const startProgram = async (program: Program): Promise<RunningProgram> => {
  const { file, args, environment, mark } = await prepare(program)
  const child = execa(file, args, {
    env: environment,
    extendEnv: false,
    cwd: program.directory,
    stdio: 'pipe',
    detached: true,
    buffer: false,
    reject: false,
  })
  const { pid, stdin, stdout, stderr } = child
  if (pid === undefined) throw new UpstreamFailure('not-started')
  const drained = new Promise<void>((resolve) => void stdout.once('close', resolve))
  const ended = new Promise<void>((resolve) => void child.nodeChildProcess.once('exit', () => resolve()))
  const exited = ended.then(async () => {
    signalGroup(pid, 'SIGKILL')
    if (mark !== undefined) await killOrphans(mark)
  })
  const stop = async (): Promise<void> => {
    stdin.end()
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      if (await endsWithin(exited, limits.upstreamStopTime)) return
      signalGroup(pid, signal)
    }
    await exited
  }
  stdin.on('error', () => {
    // The server closed its input; `gone` tells the rest.
  })
  // Without an output it is of no use.
  stdout.once('end', () => void stop())
  return {
    pid,
    stdin,
    stdout,
    stderr,
    // A process that left the group may hold the pipe for ever.
    gone: exited.then(() => endsWithin(drained, limits.upstreamStopTime)).then(() => undefined),
    stop,
  }
}
