// Starts a program of the host as a sandbox, and provides its output lines, its exit and a way to stop it.
import { constants } from 'node:os'
import { Writable } from 'node:stream'
import { ServiceError } from '@gatehouse/contracts'
import { execa } from 'execa'
import { deprioritize, fixLoginID, inheritedDescriptors } from './child-process.ts'
import type { Exit, Sandbox, Usage } from './driver.ts'
import { createOutput } from './output.ts'

/** Milliseconds within which `stop` ends a sandbox. */
const stopTime = 2_000
/** Milliseconds between attempts: a container that is still being created cannot be ended yet. */
const stopEvery = 400
/** Milliseconds for the engine to remove the rest afterwards. */
const settleTime = 3_000

export interface Program {
  readonly file: string
  readonly args: readonly string[]
  /** The complete environment of the program, unless `inheritEnvironment` is set. */
  readonly env: Readonly<Record<string, string>>
  /** For engine clients, which find their daemon through it; never for a program that becomes the sandbox. */
  readonly inheritEnvironment?: boolean
  /** Data that the program reads from descriptor 3. */
  readonly descriptor3?: Uint8Array | undefined
  /** The program reads descriptor 4 first: it receives `key` when `ready` has resolved, and fails without it. */
  readonly gate?: { readonly key: Uint8Array; ready(pid: number): Promise<void> } | undefined
  /** Must resolve before the launch completes. */
  started?(pid: number): Promise<void>
}

export interface Ending {
  /** Ends the sandbox. Called repeatedly until the program has ended, so it must be idempotent. Default: SIGKILL. */
  end?(): Promise<void>
  /** Ends processes that outlive the program, whose open pipes would hide its end. Called at the end of the program and with `end`. */
  sweep?(): Promise<void>
  /** Determines the exit reason with information of the engine, and removes what is left. */
  settle?(exit: Exit): Promise<Exit>
  usage?(): Promise<Usage | null>
}

const names = new Map(Object.entries(constants.signals).map(([name, number]) => [number, name]))

/** Engines report a signal as 128 + its number. */
const toExit = (code: number | undefined, signal: string | undefined): Exit => {
  if (signal !== undefined) return { code: null, signal, reason: 'killed' }
  const name = code === undefined || code <= 128 ? undefined : names.get(code - 128)
  return name === undefined ? { code: code ?? null, signal: null, reason: 'exited' } : { code: null, signal: name, reason: 'killed' }
}

const stopped: Exit = { code: null, signal: null, reason: 'stopped' }

/** Resolves to false after the timeout. */
const within = async (done: Promise<boolean>, time: number): Promise<boolean> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, time, false)
  })
  const result = await Promise.race([done, late])
  clearTimeout(timer)
  return result
}

const nothing = new Uint8Array()

/** Descriptors of the child from 3 on: the data, the start gate, and an empty pipe over each descriptor that it would inherit. */
const extraDescriptors = (program: Program, inherited: readonly number[]): ('ignore' | 'pipe' | Uint8Array)[] => {
  const last = Math.max(program.descriptor3 === undefined ? 2 : 3, program.gate === undefined ? 2 : 4, ...inherited)
  return Array.from({ length: last - 2 }, (_, index) => {
    if (index === 0 && program.descriptor3 !== undefined) return program.descriptor3
    if (index === 1 && program.gate !== undefined) return 'pipe'
    return inherited.includes(index + 3) ? nothing : 'ignore'
  })
}

const start = async (program: Program) => {
  const [inherited, { file, args }] = await Promise.all([inheritedDescriptors(), deprioritize(program)])
  const extra = extraDescriptors(program, inherited)
  return {
    child: execa(file, [...args], {
      // An ended pipe: gVisor does not pass on its stdin, which would otherwise be the host's /dev/null.
      stdio: [nothing, 'pipe', 'pipe', ...extra],
      encoding: 'buffer',
      buffer: false,
      reject: false,
      extendEnv: program.inheritEnvironment ?? false,
      env: program.env,
      cwd: '/',
    }),
  }
}

const readOutput = ({ stdout, stderr }: Awaited<ReturnType<typeof start>>['child']): ReturnType<typeof createOutput> => {
  const output = createOutput()
  stdout.on('data', output.pipe())
  stderr.on('data', output.pipe())
  return output
}

/** A program that does not pass its start gate never becomes a sandbox. */
const openGate = async (program: Program, child: { pid?: number | undefined; stdio: readonly unknown[] }): Promise<void> => {
  const { gate } = program
  if (child.pid === undefined) return
  await program.started?.(child.pid)
  if (gate === undefined) return
  await gate.ready(child.pid)
  const end = child.stdio[4]
  if (end instanceof Writable) end.end(gate.key)
}

const notStarted = async (file: string, child: Promise<{ readonly cause?: unknown }>): Promise<ServiceError> => {
  const { cause } = await child
  return new ServiceError('no-sandbox', { detail: `cannot start ${file}`, hint: 'run `svcctl status` to see the sandbox driver', cause })
}

export const launchProgram = async (program: Program, ending: Ending = {}): Promise<Sandbox> => {
  fixLoginID()
  const { child } = await start(program)
  const output = readOutput(child)
  let stopping = false
  /** Resolves when `stop` no longer waits for the end of the program: an orphan may have its pipes open. */
  const givenUp = Promise.withResolvers<Exit>()
  /** Resolves when `stop` no longer waits for the engine, which may hang. */
  const abandoned = Promise.withResolvers<Exit>()
  const ended = async (): Promise<Exit> => {
    const exit = await Promise.race([child.then(({ exitCode, signal }) => toExit(exitCode, signal)), givenUp.promise])
    const settled = (await ending.settle?.(exit).catch(() => undefined)) ?? exit
    return stopping ? { ...settled, reason: 'stopped' } : settled
  }
  const exited = Promise.race([ended(), abandoned.promise]).finally(() => output.end())
  if (child.pid === undefined) throw await notStarted(program.file, child)
  const sweep = (): void => void ending.sweep?.().catch(() => undefined)
  child.nodeChildProcess.once('exit', sweep)
  const stop = async (): Promise<Exit> => {
    stopping = true
    const deadline = performance.now() + stopTime
    const gone = exited.then(() => true)
    while (performance.now() < deadline) {
      void (ending.end?.() ?? Promise.resolve(child.kill('SIGKILL'))).catch(() => undefined)
      sweep()
      if (await within(gone, Math.max(1, Math.min(stopEvery, deadline - performance.now())))) return exited
    }
    child.kill('SIGKILL')
    givenUp.resolve(stopped)
    if (!(await within(gone, settleTime))) abandoned.resolve(stopped)
    return exited
  }
  try {
    await openGate(program, child)
  } catch (error) {
    await stop()
    throw error
  }
  return { exited, output: output.lines, stop, usage: async () => (await ending.usage?.()) ?? null }
}
