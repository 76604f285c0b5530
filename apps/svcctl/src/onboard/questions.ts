// Questions of the first run at a terminal. Enter takes what is usual; Ctrl-C and Ctrl-D end the tour, which goes on next time.
import { createInterface } from 'node:readline/promises'
import { Interrupted } from '../output/failure.ts'
import { visible } from '../output/visible.ts'
import type { Questions } from './step.ts'

const put = async (question: string): Promise<string> => {
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  const ended = new Promise<never>((_, reject) => {
    for (const event of ['close', 'SIGINT']) terminal.once(event, () => reject(new Interrupted()))
  })
  try {
    return (await Promise.race([terminal.question(question), ended])).trim()
  } catch (error) {
    process.stderr.write('\n')
    throw error
  } finally {
    ended.catch(() => undefined)
    terminal.close()
  }
}

const show = (text: string): void => void process.stderr.write(`\n${text.trimEnd().replaceAll(/^(?=.)/gm, '  ')}\n\n`)

export const atTerminal: Questions = {
  ask: async (question, usual) => (await put(`  ${visible(question)}${usual === '' ? '' : ` [${visible(usual)}]`}: `)) || usual,
  confirm: async (question) => /^y(es)?$/i.test(await put(`  ${visible(question)} [y/N] `)),
  show,
}

/** `--yes`: what is usual, and every change is approved. */
export const unasked: Questions = { ask: (_, usual) => Promise.resolve(usual), confirm: () => Promise.resolve(true), show: () => undefined }
