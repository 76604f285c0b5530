// A question at the terminal. Anything but yes is no; Ctrl-C ends the program.
import { createInterface } from 'node:readline/promises'
import { Interrupted } from './output/failure.ts'

export const confirm = async (question: string): Promise<boolean> => {
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  const closed = new Promise<string>((resolve) => terminal.once('close', () => resolve('')))
  const interrupted = new Promise<never>((_, reject) => terminal.once('SIGINT', () => reject(new Interrupted())))
  try {
    const answer = await Promise.race([terminal.question(`${question} [y/N] `), closed, interrupted])
    return /^y(es)?$/i.test(answer.trim())
  } catch (error) {
    process.stderr.write('\n')
    throw error
  } finally {
    terminal.close()
  }
}
