// Descriptors that a child would inherit unasked: Node opens its own close-on-exec, but whoever started Node may have left others.
import { readFile, readdir } from 'node:fs/promises'

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

let found: Promise<readonly number[]> | undefined

/** Numbers above 2; read once, since nothing that this process opens itself is inheritable. */
export const inheritedDescriptors = (): Promise<readonly number[]> => (found ??= find())
