// A conversation at the terminal, line by line, until end of input.
import { createInterface } from 'node:readline/promises'

/** `say` gets each line that is not empty; the next one is asked for when it is done. */
export const talk = async (prompt: string, say: (line: string) => Promise<void>): Promise<void> => {
  const terminal = createInterface({ input: process.stdin, output: process.stderr, prompt })
  const ended = new AbortController()
  terminal.once('close', () => ended.abort())
  const ask = (): void => {
    if (!ended.signal.aborted) terminal.prompt()
  }
  try {
    ask()
    for await (const line of terminal) {
      if (line.trim() !== '') await say(line)
      ask()
    }
  } finally {
    terminal.close()
  }
}
