// Puts a program behind those that people wait for: it gets what they leave of the processors, all of it when they rest.
import { access, constants } from 'node:fs/promises'
import { limits } from '@gatehouse/contracts'
import { findProgram } from '@gatehouse/kernel'

interface Command {
  readonly file: string
  readonly args: readonly string[]
}

let found: Promise<string | null> | undefined

/** Looked for once. */
const findNice = (): Promise<string | null> => (found ??= findProgram('nice'))

const isThere = (file: string): Promise<boolean> =>
  access(file, constants.X_OK).then(
    () => true,
    () => false,
  )

/** What cannot be started stays as it is, so that its own name is in the error. */
export const behindServices = async ({ file, args }: Command): Promise<Command> => {
  const nice = await findNice()
  if (nice === null || !(await isThere(file))) return { file, args }
  return { file: nice, args: ['-n', String(limits.sandboxNice), '--', file, ...args] }
}
