// Programs of the node, each with a log of its own. Whoever ends early says why.
import { mkdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { execa } from 'execa'

const lastLines = async (file: string): Promise<string> => (await readFile(file, 'utf8')).split('\n').slice(-15).join('\n')

export interface Programs {
  start(program: string, args: readonly string[]): void
  /** Rejects when a program ends, or after `patience` ms. */
  until(what: string, holds: () => Promise<boolean>): Promise<void>
  /** Never fulfilled. */
  readonly ended: Promise<never>
}

const patience = 180_000

export const openPrograms = async (directory: string): Promise<Programs> => {
  const logs = join(directory, 'logs')
  await mkdir(logs)
  const { promise: ended, reject } = Promise.withResolvers<never>()
  ended.catch(() => undefined)
  const waitFor = async (what: string, holds: () => Promise<boolean>): Promise<void> => {
    const deadline = Date.now() + patience
    while (!(await holds().catch(() => false))) {
      if (Date.now() > deadline) throw new Error(`waited ${patience} ms for ${what}; the logs are in ${logs}`)
      await delay(200)
    }
  }
  return {
    start: (program, args) => {
      const log = join(logs, `${basename(program)}.log`)
      const output = { file: log, append: true }
      void execa(program, args, { stdin: 'ignore', stdout: output, stderr: output, reject: false, cwd: directory }).then(async (result) =>
        reject(new Error(`${basename(program)} ended with ${result.exitCode ?? result.signal ?? result.message}\n${await lastLines(log)}`)),
      )
    },
    until: (what, holds) => Promise.race([waitFor(what, holds), ended]),
    ended,
  }
}
