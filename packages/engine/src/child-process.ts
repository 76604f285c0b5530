// Attributes of child processes: low priority, inherited descriptors, and the login id of the kernel audit.
import { readFileSync, writeFileSync } from 'node:fs'
import { access, constants, readdir, readFile } from 'node:fs/promises'
import { limits } from '@gatehouse/contracts'
import { findProgram } from '@gatehouse/kernel'

interface Command {
  readonly file: string
  readonly args: readonly string[]
}

let nicePath: Promise<string | null> | undefined

/** Found once per process. */
const findNice = (): Promise<string | null> => (nicePath ??= findProgram('nice'))

const isThere = (file: string): Promise<boolean> =>
  access(file, constants.X_OK).then(
    () => true,
    () => false,
  )

/** A missing program is not wrapped, so that the error names it. */
export const deprioritize = async ({ file, args }: Command): Promise<Command> => {
  const nice = await findNice()
  if (nice === null || !(await isThere(file))) return { file, args }
  return { file: nice, args: ['-n', String(limits.sandboxNice), '--', file, ...args] }
}

const closeOnExec = 0o2000000

const inheritable = async (descriptor: number): Promise<boolean> => {
  const info = await readFile(`/proc/self/fdinfo/${descriptor}`, 'utf8').catch(() => '')
  const flags = /^flags:\s+([0-7]+)$/m.exec(info)?.[1]
  return flags !== undefined && (Number.parseInt(flags, 8) & closeOnExec) === 0
}

const find = async (): Promise<readonly number[]> => {
  const open = (await readdir('/proc/self/fd').catch(() => [])).map(Number).filter((descriptor) => descriptor > 2)
  const found = await Promise.all(open.map(async (descriptor) => ((await inheritable(descriptor)) ? [descriptor] : [])))
  return found.flat()
}

let inherited: Promise<readonly number[]> | undefined

/** Descriptors above 2. Read once, because this process opens nothing inheritable itself. */
export const inheritedDescriptors = (): Promise<readonly number[]> => (inherited ??= find())

const path = '/proc/self/loginuid'
const unset = '4294967295'

/**
 * Sets the login id of this process to its uid where none is set, so that no child can choose one. Only the main thread may do that, hence
 * synchronous. A kernel without audit has no such file, and some kernels let nobody write it; the seal proof checks whether a sandbox can.
 */
export const fixLoginID = (): void => {
  try {
    if (readFileSync(path, 'utf8').trim() === unset) writeFileSync(path, String(process.getuid?.() ?? 0))
  } catch {
    // Not supported or not permitted.
  }
}
