// What a reader types into: one bash that keeps its variables from block to block, and terminals in which something goes on running.
import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { waitFor } from '../wait-for.ts'

export interface Place {
  /** Where the reader is. */
  readonly directory: string
  /** Where the blocks are kept as they are typed. */
  readonly aside: string
  readonly env: Readonly<Record<string, string>>
}

const deadline = 600_000

const bash = (args: readonly string[], { directory, env }: Place) =>
  execa('bash', args, { cwd: directory, env, extendEnv: false, all: true, buffer: false, reject: false, detached: true })

const kept = async ({ aside }: Place, text: string): Promise<string> => {
  const file = join(aside, `${randomUUID()}.sh`)
  await writeFile(file, text)
  return file
}

export interface Typed {
  readonly code: number
  readonly said: string
  /** Where the reader is afterwards. */
  readonly directory: string
}

export type Terminal = ReturnType<typeof openTerminal>

export const openTerminal = (place: Place) => {
  const shell = bash(['--noprofile', '--norc', '-s'], place)
  let said = ''
  shell.all.on('data', (chunk: Buffer) => (said += chunk.toString()))
  let ended: number | undefined
  const exited = shell.then(({ exitCode }) => (ended = exitCode ?? -1))
  return {
    /** Where it is to end well, the first line that does not ends it, and the terminal too. */
    type: async (text: string, ends = 0): Promise<Typed> => {
      said = ''
      const mark = randomUUID()
      const file = await kept(place, text)
      shell.stdin.write(`set ${ends === 0 ? '-e' : '+e'}; source '${file}' </dev/null; printf '\\n%s %s %s\\n' ${mark} $? "$PWD"\n`)
      return waitFor('a block to end', deadline, () => {
        const [before = '', last = ''] = said.split(`\n${mark} `)
        const [, code = '-1', directory = ''] = /^(\d+) (.*)\n/.exec(last) ?? []
        if (directory !== '') return { code: Number(code), said: before, directory }
        return ended === undefined ? undefined : { code: ended, said, directory: place.directory }
      })
    },
    close: async (): Promise<void> => {
      shell.stdin.end()
      await exited
    },
  }
}

export type Running = Awaited<ReturnType<typeof startIn>>

/** A block that goes on running in a terminal of its own. */
export const startIn = async (place: Place, text: string) => {
  const shell = bash(['--noprofile', '--norc', '-e', await kept(place, text)], place)
  let said = ''
  shell.all.on('data', (chunk: Buffer) => (said += chunk.toString()))
  let running = true
  const exited = shell.then(({ exitCode }) => {
    running = false
    return exitCode
  })
  return {
    said: () => said,
    isRunning: () => running,
    /** Ctrl-C: everything in that terminal is asked to end. */
    stop: async (): Promise<void> => {
      if (running && shell.pid !== undefined) process.kill(-shell.pid, 'SIGINT')
      await exited
    },
  }
}
