// A unit in two halves for a test: each a supervisor of its own, with a uid and a state directory of its own.
import { chmod, chown, copyFile, mkdir, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { createClient } from '@gatehouse/client'
import { runnerCredentialFile } from '@gatehouse/contracts'
import { freePort } from '@gatehouse/testkit/free-port'
import { execa } from 'execa'
import { removeState } from './remove-state.ts'
import { release } from './unit.ts'
import { waitFor } from './wait-for.ts'

/** uid of the half with the keys, and the group that both have in common. */
export const controlUid = 65_532

export interface Half {
  readonly pid: number
  readonly lines: readonly string[]
  readonly exited: Promise<number | undefined>
  kill(): Promise<unknown>
  stop(): Promise<unknown>
}

export interface HalfOptions {
  readonly uid?: number
  readonly gid?: number
  readonly env?: Readonly<Record<string, string>>
}

export type Split = Awaited<ReturnType<typeof prepareSplit>>

const run = (flags: readonly string[], { uid, gid, env }: HalfOptions): Half => {
  const lines: string[] = []
  const child = execa(process.execPath, [join(release, 'gatehouse.mjs'), ...flags], {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    extendEnv: false,
    stdin: 'ignore',
    all: true,
    buffer: false,
    reject: false,
    ...(uid !== undefined && { uid }),
    ...(gid !== undefined && { gid }),
  })
  createInterface({ input: child.all }).on('line', (line) => lines.push(line))
  const exited = child.then(({ exitCode }) => exitCode)
  const end = (signal: 'SIGTERM' | 'SIGKILL') => async () => {
    child.kill(signal)
    return exited
  }
  return { pid: child.pid ?? 0, lines, exited, kill: end('SIGKILL'), stop: end('SIGTERM') }
}

/** Nothing is started yet. `flags` are those of both halves. */
export const prepareSplit = async (token: string, flags: readonly string[]) => {
  const home = await mkdtemp(join(tmpdir(), 'gatehouse-split-'))
  await chmod(home, 0o711)
  const [port, at] = [await freePort(), (name: string): string => join(home, name)]
  for (const name of ['control', 'runner', 'credentials', 'run']) await mkdir(at(name), { mode: 0o700 })
  await chmod(at('run'), 0o1777)
  await chown(at('control'), controlUid, controlUid)
  const address = `http://127.0.0.1:${port}`
  const common = { SERVICE_RUN_DIR: at('run'), SERVICE_API_ADDR: `127.0.0.1:${port}` }
  const client = createClient({ address, token })
  return {
    address,
    client,
    at,
    startControl: async (options: HalfOptions = {}): Promise<Half> => {
      const half = run(['--only', 'control', '--state-dir', at('control'), ...flags], {
        uid: controlUid,
        gid: controlUid,
        ...options,
        env: { ...common, SERVICE_API_TOKEN: token, ...options.env },
      })
      const ended = half.exited.then((code) => {
        throw new Error(`the half ended with ${code}:\n${half.lines.join('\n')}`)
      })
      await Promise.race([waitFor('the half to answer', 90_000, async () => (await fetch(`${address}/healthz`)).ok), ended])
      return half
    },
    /** Does not wait: its readiness shows in the status of the other half. */
    startRunner: async (options: HalfOptions = {}): Promise<Half> => {
      await copyFile(join(at('control'), runnerCredentialFile), at('credentials/gatehouse-runner'))
      return run(['--only', 'runner', '--state-dir', at('runner'), ...flags], {
        gid: controlUid,
        ...options,
        env: { ...common, CREDENTIALS_DIRECTORY: at('credentials'), ...options.env },
      })
    },
    remove: () => removeState(home),
  }
}
