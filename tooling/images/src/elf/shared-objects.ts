// The shared objects that programs need, out of a directory that may be of another machine, where no loader can be asked.
import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { type Architecture, architectures } from '../architecture.ts'
import { readElf } from './read.ts'

export interface SharedObject {
  readonly source: string
  /** In the image. One place for one name, wherever the source lay. */
  readonly target: string
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )

const find = async (paths: readonly string[]): Promise<string | null> => {
  for (const path of paths) if (await exists(path)) return path
  return null
}

/** Throws where one is missing or is of another machine. Sorted by target. */
export const sharedObjectsOf = async (
  programs: readonly string[],
  { architecture, sysroot }: { readonly architecture: Architecture; readonly sysroot: string },
): Promise<SharedObject[]> => {
  const { machine, triplet } = architectures[architecture]
  const found = new Map<string, string>()
  const look = async (path: string): Promise<void> => {
    const elf = await readElf(path)
    if (elf?.machine !== machine) throw new TypeError(`${path}: expected a program for ${architecture}, got one for another machine`)
    const wanted = [
      ...(elf.interpreter === null ? [] : [elf.interpreter]),
      // The loader is named by programs, and by libc under its name alone.
      ...elf.needed.filter((name) => !name.startsWith('ld-linux')).map((name) => `/lib/${triplet}/${name}`),
    ]
    for (const target of wanted.filter((one) => !found.has(one))) {
      const source = await find([target, `/usr${target}`].map((one) => join(sysroot, one)))
      if (source === null) throw new TypeError(`${path}: needs ${target}, which is not in ${sysroot}`)
      found.set(target, source)
      await look(source)
    }
  }
  for (const program of programs) await look(program)
  return [...found].map(([target, source]) => ({ source, target })).toSorted((a, b) => (a.target < b.target ? -1 : 1))
}
