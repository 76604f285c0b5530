// What a reader types into: one bash that keeps its variables from block to block, and terminals in which something goes on running.
import { randomUUID } from 'node:crypto'
import { execa } from 'execa'
import { waitFor } from '../wait-for.ts'

export interface Place {
  /** Where the reader is. */
  readonly directory: string
  readonly env: Readonly<Record<string, string>>
  /** A program with its arguments that every bash is started by; the directory is one that is there for it. */
  readonly inside?: readonly string[] | undefined
}

const deadline = 600_000

const bash = (args: readonly string[], { directory, env, inside }: Place) => {
  const [program, ...words] = [...(inside ?? []), 'bash', '--noprofile', '--norc', ...args]
  const cwd = inside === undefined ? directory : '/'
  return execa(program ?? 'bash', words, { cwd, env, extendEnv: false, all: true, buffer: false, reject: false, detached: true })
}

/** As one word, whatever is in it. */
const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

export interface Typed {
  readonly code: number
  readonly said: string
  /** Where the reader is afterwards. */
  readonly directory: string
}

export type Terminal = ReturnType<typeof openTerminal>

export const openTerminal = (place: Place) => {
  const shell = bash(['-s'], place)
  shell.stdin.write(`cd ${quoted(place.directory)}\n`)
  let said = ''
  shell.all.on('data', (chunk: Buffer) => (said += chunk.toString()))
  let ended: number | undefined
  const exited = shell.then(({ exitCode }) => (ended = exitCode ?? -1))
  return {
    /** Where it is to end well, the first line that does not ends it, and the terminal too. */
    type: async (text: string, ends = 0): Promise<Typed> => {
      said = ''
      const mark = randomUUID()
      shell.stdin.write(`set ${ends === 0 ? '-e' : '+e'}; eval ${quoted(text)} </dev/null; printf '\\n%s %s %s\\n' ${mark} $? "$PWD"\n`)
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

/** What ended by itself a moment ago is not there to be asked. */
const interrupt = (group: number): void => {
  try {
    process.kill(-group, 'SIGINT')
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}

export type Running = ReturnType<typeof startIn>

/** A block that goes on running in a terminal of its own. */
export const startIn = (place: Place, text: string) => {
  const shell = bash(['-ec', `cd ${quoted(place.directory)}\n${text}`], place)
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
      if (running && shell.pid !== undefined) interrupt(shell.pid)
      await exited
    },
  }
}
