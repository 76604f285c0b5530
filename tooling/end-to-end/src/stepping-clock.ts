// A wall clock that a test sets while a unit runs: libfaketime in every process of the unit. The monotonic clock stays as it is.
import { existsSync } from 'node:fs'
import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freshDirectory } from './unit.ts'

const library = ['x86_64', 'aarch64'].map((machine) => `/usr/lib/${machine}-linux-gnu/faketime/libfaketime.so.1`).find(existsSync)

/** False where it can be used, else what to install. */
export const skipWithoutFaketime = library === undefined ? 'needs libfaketime, install it with: apt-get install -y faketime' : false

export interface SteppingClock {
  /** For `startUnit`. */
  readonly env: Readonly<Record<string, string>>
  readonly folder: string
  /** Sets the clock of all processes so many seconds off the true time. */
  set(seconds: number): Promise<void>
}

/** Processes of a unit begin with an empty environment, so the supervisor starts them by a script that adds the library. */
export const createSteppingClock = async (): Promise<SteppingClock> => {
  const folder = await freshDirectory()
  const offset = join(folder, 'offset')
  const node = join(folder, 'node')
  const preload = join(folder, 'preload.mjs')
  const variables = {
    LD_PRELOAD: library ?? '',
    FAKETIME_TIMESTAMP_FILE: offset,
    FAKETIME_NO_CACHE: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
    NO_FAKE_STAT: '1',
  }
  const exports = Object.entries(variables).map(([name, value]) => `export ${name}='${value}'`)
  await writeFile(node, `#!/bin/sh\n${exports.join('\n')}\nexec '${process.execPath}' "$@"\n`, { mode: 0o755 })
  await writeFile(preload, `process.execPath = ${JSON.stringify(node)}\n`)
  const set = async (seconds: number): Promise<void> => {
    await writeFile(`${offset}.new`, `${seconds < 0 ? '' : '+'}${seconds}\n`)
    await rename(`${offset}.new`, offset)
  }
  await set(0)
  return { env: { ...variables, NODE_OPTIONS: `--import=${preload}` }, folder, set }
}
