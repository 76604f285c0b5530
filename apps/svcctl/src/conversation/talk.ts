// A conversation at the terminal, line by line, until end of input.
import { createInterface } from 'node:readline/promises'

/** `say` gets each line that is not empty; the next one is asked for when it is done. */
export const talk = async (prompt: string, say: (line: string) => Promise<void>): Promise<void> => {
  const terminal = createInterface({ input: process.stdin, output: process.stderr, prompt })
  try {
    terminal.prompt()
    for await (const line of terminal) {
      if (line.trim() !== '') await say(line)
      terminal.prompt()
    }
  } finally {
    terminal.close()
  }
}
