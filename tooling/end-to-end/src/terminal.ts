// A terminal that a test types into and reads as a person does: a screen of tmux on a socket of its own.
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { execa } from 'execa'
import { openLooks } from './terminal-looks.ts'
import { waitFor } from './wait-for.ts'

export const lacksTerminal = existsSync('/usr/bin/tmux') ? false : 'needs tmux, install with: apt-get install -y tmux'

const size = { columns: 110, rows: 90 }
const prompt = '$'
const deadline = 90_000

export interface TerminalOptions {
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
}

export type Terminal = Awaited<ReturnType<typeof openTerminal>>

export const openTerminal = async ({ env, cwd }: TerminalOptions) => {
  const socket = `gh-${randomBytes(6).toString('hex')}`
  const target = ['-L', socket, '-f', '/dev/null']
  const surroundings = { PATH: process.env['PATH'] ?? '', TERM: 'xterm', LC_ALL: 'C.UTF-8', ...env }
  const tmux = async (...args: string[]): Promise<void> => {
    await execa('tmux', [...target, ...args], { env: surroundings, extendEnv: false })
  }
  await tmux('new-session', '-d', '-x', String(size.columns), '-y', String(size.rows), '-c', cwd, 'PS1="$ " exec bash --norc --noprofile')
  const looks = openLooks(target, surroundings)
  const screen = async (): Promise<string> => (await looks.screen()).trimEnd()
  const type = async (keys: string): Promise<void> => {
    await tmux('send-keys', '-l', keys)
    // Else the prompt from before could be taken for the one behind the answer.
    await waitFor(`"${keys}" on the screen`, deadline, async () => (await screen()).includes(keys.slice(0, 60)))
    await tmux('send-keys', 'Enter')
  }
  /** Waits until words stand on the screen. */
  const shows = (words: RegExp): Promise<string> =>
    waitFor(`${String(words)} on the screen`, deadline, async () => {
      const seen = await screen()
      return words.test(seen) ? seen : undefined
    })
  const isQuiet = (seen: string): boolean => seen.split('\n').at(-1)?.trimEnd() === prompt
  const quiet = (): Promise<string> =>
    waitFor('the prompt', deadline, async () => {
      const seen = await screen()
      return isQuiet(seen) ? seen : undefined
    }).catch(async (error: unknown) => {
      throw new Error(`expected the prompt, the screen shows:\n${await screen()}`, { cause: error })
    })
  await quiet()
  const clear = async (): Promise<void> => {
    await type('clear')
    await waitFor('an empty screen', deadline, async () => (await screen()) === prompt)
  }
  return {
    screen,
    type,
    shows,
    quiet,
    key: (name: string) => tmux('send-keys', name),
    /** What the terminal does not show while it is typed, such as a password. */
    typeUnseen: async (keys: string): Promise<void> => {
      await tmux('send-keys', '-l', keys)
      await tmux('send-keys', 'Enter')
    },
    /** An empty screen. */
    clear,
    close: async (): Promise<void> => {
      await tmux('kill-server').catch(() => undefined)
      await looks.close()
    },
  }
}
