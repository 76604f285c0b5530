// Checks a journal offline: needs no daemon and no key, and never writes.
import { createReadStream } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { ServiceError } from '@gatehouse/contracts'
import { genesis, type Head } from './chain.ts'
import { inspect } from './inspect.ts'
import { type Fault, Inspector } from './inspector.ts'
import { loadPublicKey } from './keys.ts'

export interface VerifyOptions {
  readonly path: string
  /** Also checks the signatures of checkpoints. */
  readonly publicKeyPath?: string | undefined
  /** A head kept elsewhere, that the journal must reach and match: shows a cut or a roll-back. */
  readonly head?: Head | undefined
}

/** `line` is 1-based over all files. The last line is shown whole only by a head, since nothing follows it. */
export type Verdict = { readonly ok: true; readonly lines: number; readonly head: Head } | ({ readonly ok: false } & Fault)

/** `audit.1.jsonl`, `audit.2.jsonl`, … before `audit.jsonl`. */
const filesOf = async (path: string): Promise<string[]> => {
  const directory = dirname(path)
  const [stem] = basename(path).split(/\.jsonl$/)
  const numbers: number[] = []
  for (const name of await readdir(directory)) {
    const number = name.startsWith(`${stem}.`) ? /^\.(\d+)\.jsonl$/.exec(name.slice(stem?.length))?.[1] : undefined
    if (number !== undefined) numbers.push(Number(number))
  }
  return [...numbers.toSorted((a, b) => a - b).map((number) => join(directory, `${stem}.${number}.jsonl`)), path]
}

const unreadable = (path: string, code: unknown, cause: Error): ServiceError =>
  new ServiceError('not-found', {
    detail: `${path}: expected a journal, it cannot be read (${String(code)})`,
    hint: 'name audit.jsonl of a state directory that you may read',
    cause,
  })

/** Rejects with a `ServiceError` if a file cannot be read at all. */
export const verifyJournal = async ({ path, publicKeyPath, head }: VerifyOptions): Promise<Verdict> => {
  const key = publicKeyPath === undefined ? undefined : await loadPublicKey(publicKeyPath)
  const inspector = new Inspector({ start: genesis, expected: head, key })
  try {
    for (const file of await filesOf(path)) {
      const fault = await inspect(createReadStream(file, { highWaterMark: 1024 * 1024 }), inspector)
      if (fault !== undefined) return { ok: false, ...fault }
    }
  } catch (error) {
    if (error instanceof Error && 'code' in error) throw unreadable(path, error.code, error)
    throw error
  }
  const fault = inspector.end()
  return fault === undefined ? { ok: true, lines: inspector.lines, head: inspector.head } : { ok: false, ...fault }
}
