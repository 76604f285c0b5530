// Questions at the terminal, on stderr. Ctrl-C ends the program.
import { createInterface } from 'node:readline/promises'
import { Interrupted } from '../output/failure.ts'

/** The line that was typed, without blanks around it; empty at the end of input. */
export const ask = async (question: string): Promise<string> => {
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  const closed = new Promise<string>((resolve) => terminal.once('close', () => resolve('')))
  const interrupted = new Promise<never>((_, reject) => terminal.once('SIGINT', () => reject(new Interrupted())))
  try {
    return (await Promise.race([terminal.question(question), closed, interrupted])).trim()
  } catch (error) {
    process.stderr.write('\n')
    throw error
  } finally {
    terminal.close()
  }
}

/** Anything but yes is no. */
export const confirm = async (question: string): Promise<boolean> => /^y(es)?$/i.test(await ask(`${question} [y/N] `))

/** Rejects with `Interrupted` when Ctrl-C ended it. */
export const untilInterrupted = async (act: (signal: AbortSignal) => Promise<void>): Promise<void> => {
  const ending = new AbortController()
  const interrupt = (): void => ending.abort(new Interrupted())
  process.once('SIGINT', interrupt)
  try {
    await act(ending.signal)
  } finally {
    process.removeListener('SIGINT', interrupt)
  }
  ending.signal.throwIfAborted()
}
