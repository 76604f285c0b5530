// Checks a journal offline: needs no daemon and no key, and never writes.
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
  /** Also checks the signatures of checkpoints. */
  readonly publicKeyPath?: string | undefined
  /** Heads known from elsewhere, that the journal must reach and match: they show a cut or a roll-back. */
  readonly known?: readonly KnownHead[]
}

/** `line` is 1-based over all files. The last line is shown whole only by a head, since nothing follows it. */
export type Verdict = { readonly ok: true; readonly lines: number; readonly head: Head } | ({ readonly ok: false } & Fault)

interface File {
  readonly path: string
  /** Closed files that should be before it. */
  readonly missing: string | undefined
}

const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined

/** `audit.1.jsonl`, `audit.2.jsonl`, … before `audit.jsonl`, which does not have its name yet while a file is closed. */
const filesOf = async (path: string): Promise<File[]> => {
  const numbers = await rotatedNumbers(path)
  const turning = numbers.length > 0 && !isThere(path) && isThere(nextPath(path))
  // What was seen of the names holds together only if none was added meanwhile.
  if ((await rotatedNumbers(path)).length !== numbers.length) return filesOf(path)
  const files = numbers.map((number, index) => ({
    path: rotatedPath(path, number),
    missing: number === (numbers[index - 1] ?? 0) + 1 ? undefined : rotatedPath(path, (numbers[index - 1] ?? 0) + 1),
  }))
  return [...files, { path: turning ? nextPath(path) : path, missing: undefined }]
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
  const whole: { readonly path: string; readonly lines: number }[] = []
  for (const { path, missing } of files) {
    if (missing !== undefined) return named(inspector.missing(`${basename(missing)} is missing`), path, false)
    const before = inspector.lines
    const fault = await inspect(createReadStream(path, { highWaterMark: 1024 * 1024 }), inspector)
    // A line may show that one at the end of an earlier file is bad.
    if (fault !== undefined) return named(fault, whole.find(({ lines }) => fault.line <= lines)?.path ?? path, files.length > 1)
    if (files.length > 1 && inspector.lines === before) return inspector.missing(`${basename(path)} is empty`)
    whole.push({ path, lines: inspector.lines })
  }
  const fault = inspector.end()
  return fault === undefined ? undefined : named(fault, files.at(-1)?.path ?? '', files.length > 1)
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

/** Rejects with a `ServiceError` if a file cannot be read at all. */
export const verifyJournal = async ({ path, publicKeyPath, known = [] }: VerifyOptions): Promise<Verdict> => {
  const keys = publicKeyPath === undefined ? undefined : await loadPublicKeys(publicKeyPath)
  try {
    for (let files = await filesOf(path); ;) {
      const judging = inspectAll(files, { keys, known })
      const passed = await judging.then(
        ({ ok }) => ok,
        () => false,
      )
      // A journal that is in use may have closed a file while it was read.
      const now = passed ? files : await filesOf(path)
      if (isSame(files, now)) return await judging
      files = now
    }
  } catch (error) {
    if (error instanceof Error && 'code' in error && 'errno' in error) throw unreadable(path, error.code, error)
    throw error
  }
}
