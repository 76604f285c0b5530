// A conversation at the terminal, line by line, until end of input. What was typed comes back with the arrow keys.
import { createInterface } from 'node:readline/promises'
import { Interrupted } from '../output/failure.ts'

export interface Talk {
  readonly prompt: string
  /** Lines of earlier conversations, the newest first. */
  readonly history: readonly string[]
  /** Gets each line that is not empty; the next one is asked for when it is done. Ctrl-C aborts the signal. */
  readonly say: (line: string, signal: AbortSignal) => Promise<void>
}

export const talk = async ({ prompt, history, say }: Talk): Promise<void> => {
  const terminal = createInterface({
    input: process.stdin,
    output: process.stderr,
    prompt,
    history: [...history],
    removeHistoryDuplicates: true,
  })
  const ended = new AbortController()
  terminal.once('close', () => ended.abort(new Interrupted()))
  terminal.once('SIGINT', () => {
    ended.abort(new Interrupted())
    process.exitCode = 130
    process.stderr.write('\n')
    terminal.close()
  })
  const ask = (): void => {
    if (!ended.signal.aborted) terminal.prompt()
  }
  try {
    ask()
    for await (const line of terminal) {
      if (line.trim() !== '') await say(line, ended.signal)
      ask()
    }
  } finally {
    terminal.close()
  }
}
