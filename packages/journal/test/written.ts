// A journal of a few hundred lines in several files in memory, verified as `verifyJournal` verifies files.
import type { KeyObject } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { sha256 } from '@gatehouse/kernel'
import { genesis } from '../src/chain.ts'
import { type Head, openJournal, type Verdict } from '../src/index.ts'
import { inspect } from '../src/inspect.ts'
import { Inspector } from '../src/inspector.ts'
import { loadPublicKeys } from '../src/keys.ts'
import { rotatedNumbers, rotatedPath } from '../src/rotated.ts'
import { type Lasting, line, newOptions } from './state.ts'

/** Oldest first, the current one last; undefined for a missing file. */
export type Contents = readonly (Buffer | undefined)[]

export interface Written {
  readonly path: string
  readonly publicKeyPath: string
  readonly key: KeyObject
  /** By file, newlines included. */
  readonly files: readonly (readonly Buffer[])[]
  readonly lines: readonly Buffer[]
  /** The head after each line; the first is that of an empty journal. */
  readonly heads: readonly Head[]
}

/** Lines with their newlines; a remainder without one is last. */
export const split = (content: Buffer): Buffer[] => {
  const lines: Buffer[] = []
  for (let from = 0; from < content.length;) {
    const at = content.indexOf(0x0a, from)
    const to = at === -1 ? content.length : at + 1
    lines.push(content.subarray(from, to))
    from = to
  }
  return lines
}

export const linesOf = (files: Contents): Buffer[] => files.flatMap((content) => (content === undefined ? [] : split(content)))

export const contentsOf = (files: readonly (readonly Buffer[])[]): Buffer[] => files.map((lines) => Buffer.concat(lines))

/** Five files, each with checkpoints at both ends and in the middle. */
export const writeJournal = async (t: Lasting): Promise<Written> => {
  const options = { ...newOptions(t), fileSize: 14_000 }
  const journal = await openJournal(options)
  for (let count = 0; count < 210; count += 1) {
    await journal.append([line(`${count} ${'x'.repeat((count * 7) % 40)}`)])
    if (count % 45 === 20) await journal.sign()
  }
  await journal.close()
  const paths = [...(await rotatedNumbers(options.path)).map((number) => rotatedPath(options.path, number)), options.path]
  const files = paths.map((path) => split(readFileSync(path)))
  const lines = files.flat()
  const heads = lines.map((bytes, index) => ({ seq: index + 1, hash: sha256(bytes.subarray(0, -1)) }))
  const publicKeyPath = join(dirname(options.path), 'journal.pub')
  const { seq, hash } = genesis
  return {
    path: options.path,
    publicKeyPath,
    key: (await loadPublicKeys(publicKeyPath))[0]!,
    files,
    lines,
    heads: [{ seq, hash }, ...heads],
  }
}

/** The verdict of `verifyJournal` on files with these contents, except for file names in its reason. */
export const judge = async (files: Contents, { key, head }: { key?: KeyObject | undefined; head?: Head | undefined }): Promise<Verdict> => {
  const inspector = new Inspector({ start: genesis, known: head === undefined ? [] : [head], keys: key && [key] })
  for (const [index, content] of files.entries()) {
    const before = inspector.lines
    if (content === undefined) {
      // No later number reveals that the last closed file is missing.
      if (files.slice(index + 1, -1).every((one) => one === undefined)) continue
      return { ok: false, ...inspector.missing('a file is missing') }
    }
    const stream = (async function* () {
      yield content
    })()
    const fault = await inspect(stream, inspector)
    if (fault !== undefined) return { ok: false, ...fault }
    if (files.length > 1 && inspector.lines === before) return { ok: false, ...inspector.missing('a file is empty') }
  }
  const fault = inspector.end()
  return fault === undefined ? { ok: true, lines: inspector.lines, head: inspector.head } : { ok: false, ...fault }
}
