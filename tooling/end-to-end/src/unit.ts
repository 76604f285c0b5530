// A real unit for a test: the built `gatehouse`, an own state directory, a free port, and everything it printed.
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { createClient } from '@gatehouse/client'
import { freePort } from '@gatehouse/testkit/free-port'
import { execa } from 'execa'
import { removeState } from './remove-state.ts'
import { waitFor } from './wait-for.ts'

export const root = join(import.meta.dirname, '../../..')
export const release = join(root, 'dist')

export interface UnitOptions {
  readonly flags?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** Default: a fresh directory that goes with the unit. */
  readonly stateDir?: string
  readonly port?: number
  readonly token?: string
  /** uid and gid to run as; default those of the test. */
  readonly uid?: number
  /** Default true: wait until `/readyz` answers 200. */
  readonly untilReady?: boolean
}

export type Unit = Awaited<ReturnType<typeof startUnit>>

export { freePort }

export const freshDirectory = (): Promise<string> => mkdtemp(join(tmpdir(), 'gatehouse-test-'))

/** Flags come after `--addr` and `--state-dir`, so a test may override neither. */
export const startUnit = async (options: UnitOptions = {}) => {
  const stateDir = options.stateDir ?? (await freshDirectory())
  const port = options.port ?? (await freePort())
  const address = `http://127.0.0.1:${port}`
  const lines: string[] = []
  const child = execa(
    process.execPath,
    [join(release, 'gatehouse.mjs'), '--addr', `127.0.0.1:${port}`, '--state-dir', stateDir, ...(options.flags ?? ['--dev'])],
    {
      env: { PATH: process.env['PATH'] ?? '', HOME: stateDir, ...options.env },
      extendEnv: false,
      stdin: 'ignore',
      all: true,
      buffer: false,
      reject: false,
      forceKillAfterDelay: false,
      ...(options.uid !== undefined && { uid: options.uid, gid: options.uid }),
    },
  )
  const { all } = child
  createInterface({ input: all }).on('line', (line) => lines.push(line))
  const exited = child.then(({ exitCode, signal }) => ({ code: exitCode, signal }))
  const client = createClient({ address, ...(options.token === undefined ? {} : { token: options.token }) })

  const bearer: Record<string, string> = options.token === undefined ? {} : { authorization: `Bearer ${options.token}` }

  const unit = {
    address,
    port,
    stateDir,
    client,
    /** Headers by which plain requests are let in, where the unit wants a token. */
    bearer,
    lines,
    exited,
    pid: child.pid ?? 0,
    /** Live pid of a process of the unit, as its status says. */
    pidOf: async (name: string): Promise<number> => {
      const { processes } = await client.status()
      const pid = processes.find((process) => process.name === name)?.pid
      if (pid === undefined) throw new Error(`${name} is not running`)
      return pid
    },
    ready: () =>
      Promise.race([
        waitFor('the unit to be ready', 90_000, async () => (await fetch(`${address}/readyz`)).status === 200),
        exited.then(({ code }) => {
          throw new Error(`the unit ended with ${code}:\n${lines.join('\n')}`)
        }),
      ]),
    stop: async () => {
      child.kill('SIGTERM')
      return exited
    },
    kill: async () => {
      child.kill('SIGKILL')
      return exited
    },
    /** Stops the unit and removes what it kept. */
    dispose: async () => {
      child.kill('SIGTERM')
      await exited
      if (options.stateDir === undefined) await removeState(stateDir)
    },
  }
  if (options.untilReady === false) return unit
  try {
    await unit.ready()
    return unit
  } catch (error) {
    await unit.dispose()
    throw error
  }
}
