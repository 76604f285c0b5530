// Verifies a journal offline. Needs neither a running unit nor a secret key, and never writes.
import type { KeyObject } from 'node:crypto'
import { createReadStream, lstatSync } from 'node:fs'
import { basename } from 'node:path'
import { ServiceError } from '@gatehouse/contracts'
import { genesis, type Head } from './chain.ts'
import { inspect } from './inspect.ts'
import { type Fault, Inspector, type KnownHead } from './inspector.ts'
import { loadPublicKeys } from './keys.ts'
import { nextPath, rotatedNumbers, rotatedPath } from './rotated.ts'

export interface VerifyOptions {
  readonly path: string
  /** With it, the signatures of checkpoints are checked too. */
  readonly publicKeyPath?: string | undefined
  /** Heads from other sources, which the journal must reach and match. They reveal truncation and rollback. */
  readonly known?: readonly KnownHead[]
}

/** `line` is 1-based over all files. Only a known head can verify the last line, because no line follows it. */
export type Verdict = { readonly ok: true; readonly lines: number; readonly head: Head } | ({ readonly ok: false } & Fault)

interface File {
  readonly path: string
  /** The first closed file that should precede it and is missing. */
  readonly missing: string | undefined
}

const exists = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined

/** `audit.1.jsonl`, `audit.2.jsonl`, … and then `audit.jsonl`, which does not have its name yet during a rotation. */
const listFiles = async (path: string): Promise<File[]> => {
  const numbers = await rotatedNumbers(path)
  const isRotating = numbers.length > 0 && !exists(path) && exists(nextPath(path))
  // The list is consistent only if no file was added in the meantime.
  if ((await rotatedNumbers(path)).length !== numbers.length) return listFiles(path)
  const files = numbers.map((number, index) => ({
    path: rotatedPath(path, number),
    missing: number === (numbers[index - 1] ?? 0) + 1 ? undefined : rotatedPath(path, (numbers[index - 1] ?? 0) + 1),
  }))
  return [...files, { path: isRotating ? nextPath(path) : path, missing: undefined }]
}

const unreadable = (path: string, code: unknown, cause: Error): ServiceError =>
  new ServiceError('not-found', {
    detail: `${path}: cannot read the journal (${String(code)})`,
    hint: 'name audit.jsonl of a state directory that you may read',
    cause,
  })

const withFileName = ({ line, reason }: Fault, path: string, many: boolean): Fault => ({
  line,
  reason: many ? `${reason} (${basename(path)})` : reason,
})

/** Checks the files in order. None may be missing, and of several files none may be empty. */
const inspectFiles = async (files: readonly File[], inspector: Inspector): Promise<Fault | undefined> => {
  const checked: { readonly path: string; readonly lines: number }[] = []
  for (const { path, missing } of files) {
    if (missing !== undefined) return withFileName(inspector.missing(`${basename(missing)} is missing`), path, false)
    const before = inspector.lines
    const fault = await inspect(createReadStream(path, { highWaterMark: 1024 * 1024 }), inspector)
    // A line can reveal that the last line of an earlier file is wrong.
    if (fault !== undefined) return withFileName(fault, checked.find(({ lines }) => fault.line <= lines)?.path ?? path, files.length > 1)
    if (files.length > 1 && inspector.lines === before) return inspector.missing(`${basename(path)} is empty`)
    checked.push({ path, lines: inspector.lines })
  }
  const fault = inspector.end()
  return fault === undefined ? undefined : withFileName(fault, files.at(-1)?.path ?? '', files.length > 1)
}

const inspectAll = async (
  files: readonly File[],
  options: { keys: readonly KeyObject[] | undefined; known: readonly KnownHead[] },
): Promise<Verdict> => {
  const inspector = new Inspector({ start: genesis, ...options })
  const fault = await inspectFiles(files, inspector)
  return fault === undefined ? { ok: true, lines: inspector.lines, head: inspector.head } : { ok: false, ...fault }
}

const isSame = (files: readonly File[], others: readonly File[]): boolean =>
  files.length === others.length && files.every(({ path }, index) => path === others[index]?.path)

/** Rejects with a `ServiceError` if a file cannot be read. */
export const verifyJournal = async ({ path, publicKeyPath, known = [] }: VerifyOptions): Promise<Verdict> => {
  const keys = publicKeyPath === undefined ? undefined : await loadPublicKeys(publicKeyPath)
  try {
    for (let files = await listFiles(path); ;) {
      const verification = inspectAll(files, { keys, known })
      const passed = await verification.then(
        ({ ok }) => ok,
        () => false,
      )
      // A journal in use may have rotated during the check.
      const latest = passed ? files : await listFiles(path)
      if (isSame(files, latest)) return await verification
      files = latest
    }
  } catch (error) {
    if (error instanceof Error && 'code' in error && 'errno' in error) throw unreadable(path, error.code, error)
    throw error
  }
}
