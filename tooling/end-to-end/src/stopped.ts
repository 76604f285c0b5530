// The built `gatehouse` where it works on a stopped unit.
import { join } from 'node:path'
import { execa } from 'execa'
import { release } from './unit.ts'

export interface EndedAct {
  readonly code: number
  /** Both streams. */
  readonly text: string
}

export const runStopped = async (args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<EndedAct> => {
  const { exitCode, all } = await execa(process.execPath, [join(release, 'gatehouse.mjs'), ...args], {
    env: { HOME: '/nonexistent', ...env },
    extendEnv: false,
    reject: false,
    all: true,
  })
  return { code: exitCode ?? -1, text: all }
}
