// Checks a journal offline: needs no daemon and no key, and never writes.
import { createReadStream } from 'node:fs'
import { basename } from 'node:path'
import { ServiceError } from '@gatehouse/contracts'
import { genesis, type Head } from './chain.ts'
import { inspect } from './inspect.ts'
import { type Fault, Inspector } from './inspector.ts'
import { loadPublicKey } from './keys.ts'
import { rotatedNumbers, rotatedPath } from './rotated.ts'

export interface VerifyOptions {
  readonly path: string
  /** Also checks the signatures of checkpoints. */
  readonly publicKeyPath?: string | undefined
  /** A head kept elsewhere, that the journal must reach and match: shows a cut or a roll-back. */
  readonly head?: Head | undefined
}

/** `line` is 1-based over all files. The last line is shown whole only by a head, since nothing follows it. */
export type Verdict = { readonly ok: true; readonly lines: number; readonly head: Head } | ({ readonly ok: false } & Fault)

interface File {
  readonly path: string
  /** Closed files that should be before it. */
  readonly missing: string | undefined
}

/** `audit.1.jsonl`, `audit.2.jsonl`, … before `audit.jsonl`. */
const filesOf = async (path: string): Promise<File[]> => {
  const numbers = await rotatedNumbers(path)
  const files = numbers.map((number, index) => ({
    path: rotatedPath(path, number),
    missing: number === (numbers[index - 1] ?? 0) + 1 ? undefined : rotatedPath(path, (numbers[index - 1] ?? 0) + 1),
  }))
  return [...files, { path, missing: undefined }]
}

const unreadable = (path: string, code: unknown, cause: Error): ServiceError =>
  new ServiceError('not-found', {
    detail: `${path}: expected a journal, it cannot be read (${String(code)})`,
    hint: 'name audit.jsonl of a state directory that you may read',
    cause,
  })

const named = ({ line, reason }: Fault, path: string, many: boolean): Fault => ({
  line,
  reason: many ? `${reason} (${basename(path)})` : reason,
})

/** The files in their order, none missing, each with at least one line where there are many. */
const inspectFiles = async (files: readonly File[], inspector: Inspector): Promise<Fault | undefined> => {
  for (const { path, missing } of files) {
    if (missing !== undefined) return named(inspector.missing(`${basename(missing)} is missing`), path, false)
    const before = inspector.lines
    const fault = await inspect(createReadStream(path, { highWaterMark: 1024 * 1024 }), inspector)
    if (fault !== undefined) return named(fault, path, files.length > 1)
    if (files.length > 1 && inspector.lines === before) return inspector.missing(`${basename(path)} is empty`)
  }
  const fault = inspector.end()
  return fault === undefined ? undefined : named(fault, files.at(-1)?.path ?? '', files.length > 1)
}

/** Rejects with a `ServiceError` if a file cannot be read at all. */
export const verifyJournal = async ({ path, publicKeyPath, head }: VerifyOptions): Promise<Verdict> => {
  const key = publicKeyPath === undefined ? undefined : await loadPublicKey(publicKeyPath)
  const inspector = new Inspector({ start: genesis, expected: head, key })
  try {
    const fault = await inspectFiles(await filesOf(path), inspector)
    return fault === undefined ? { ok: true, lines: inspector.lines, head: inspector.head } : { ok: false, ...fault }
  } catch (error) {
    if (error instanceof Error && 'code' in error && 'errno' in error) throw unreadable(path, error.code, error)
    throw error
  }
}
