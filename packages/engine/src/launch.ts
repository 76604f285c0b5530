// Starts one program of the host and turns it into a sandbox: lines out, one exit, one way to stop it.
import { constants } from 'node:os'
import { Writable } from 'node:stream'
import { ServiceError } from '@gatehouse/contracts'
import { execa } from 'execa'
import { deprioritize, fixLoginID, inheritedDescriptors } from './child-process.ts'
import type { Exit, Sandbox, Usage } from './driver.ts'
import { createOutput } from './output.ts'

/** Milliseconds within which `stop` has ended a sandbox. */
const stopTime = 2_000
/** A container that is still being made cannot be ended yet, so it is tried again. */
const stopEvery = 400
/** Milliseconds that an engine then has to remove what is left of it. */
const settleTime = 3_000

export interface Program {
  readonly file: string
  readonly args: readonly string[]
  /** All of the program's environment, unless `inheritEnvironment`. */
  readonly env: Readonly<Record<string, string>>
  /** For clients of an engine, which find their daemon by it; never for what becomes the sandbox itself. */
  readonly inheritEnvironment?: boolean
  /** Data that the program reads from descriptor 3. */
  readonly descriptor3?: Uint8Array | undefined
  /** The program reads descriptor 4 before it does anything else: `key` comes when `ready` has resolved, and without it the program fails. */
  readonly gate?: { readonly key: Uint8Array; ready(pid: number): Promise<void> } | undefined
  /** Waited for before the launch counts as made. */
  started?(pid: number): Promise<void>
}

export interface Ending {
  /** Ends what runs; called again until the program is gone, so it must bear repetition. Default: SIGKILL. */
  end?(): Promise<void>
  /** Ends what outlives the program: what holds its pipes would keep its end unknown. Called at that end, and with `end`. */
  sweep?(): Promise<void>
  /** Says why it ended, from what the engine knows, and removes what is left. */
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

/** False when the time was up first. */
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

/** What the child gets from descriptor 3 on: the given data, the gate, and an empty pipe over whatever it would inherit unasked. */
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
      // A pipe that is at its end: gVisor gives its stdin to nobody, and that would be the host's /dev/null.
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

/** A program that was not let through its gate never becomes a sandbox. */
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
  /** Resolved when `stop` waits no longer for the end of the program: a stray may hold its pipes. */
  const givenUp = Promise.withResolvers<Exit>()
  /** Resolved when `stop` waits no longer for the engine either, which may hang. */
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
