// The names of a journal's files: `audit.1.jsonl`, `audit.2.jsonl`, … before `audit.jsonl`.
import { readdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

const stemOf = (path: string): string => basename(path).split(/\.jsonl$/)[0] ?? ''

/** What the file of this number is called once it is closed. */
export const rotatedPath = (path: string, number: number): string => join(dirname(path), `${stemOf(path)}.${number}.jsonl`)

/** Where a new file is made ready to take the journal's name. */
export const nextPath = (path: string): string => `${path}.next`

/** Ascending. */
export const rotatedNumbers = async (path: string): Promise<number[]> => {
  const stem = stemOf(path)
  const numbers: number[] = []
  for (const name of await readdir(dirname(path))) {
    const number = name.startsWith(`${stem}.`) ? /^\.([1-9]\d*)\.jsonl$/.exec(name.slice(stem.length))?.[1] : undefined
    if (number !== undefined) numbers.push(Number(number))
  }
  return numbers.toSorted((a, b) => a - b)
}
