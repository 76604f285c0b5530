// The names of a journal's files: `audit.1.jsonl`, `audit.2.jsonl`, … and then `audit.jsonl`.
import { readdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

const baseName = (path: string): string => basename(path).split(/\.jsonl$/)[0] ?? ''

/** The path of the closed file with this number. */
export const rotatedPath = (path: string, number: number): string => join(dirname(path), `${baseName(path)}.${number}.jsonl`)

/** The path at which a new file is prepared before it gets the journal's name. */
export const nextPath = (path: string): string => `${path}.next`

/** The numbers of the closed files, ascending. */
export const rotatedNumbers = async (path: string): Promise<number[]> => {
  const stem = baseName(path)
  const numbers: number[] = []
  for (const name of await readdir(dirname(path))) {
    const number = name.startsWith(`${stem}.`) ? /^\.([1-9]\d*)\.jsonl$/.exec(name.slice(stem.length))?.[1] : undefined
    if (number !== undefined) numbers.push(Number(number))
  }
  return numbers.toSorted((a, b) => a - b)
}
