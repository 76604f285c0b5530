// Ways to tamper with journal files, each with the line that must be reported, computed without code of the journal.
import type { Head } from '../src/index.ts'
import { chained, checkpointing, entryOf, holds, rechained, signedAnew } from './forge.ts'
import { type Contents, contentsOf, linesOf, type Written } from './written.ts'

export interface Tampered {
  readonly files: Contents
  /** That was kept. */
  readonly head: Head
  /** The first bad line, from 1. */
  readonly line: number
}

/** A random integer from 0 to the argument, exclusive. */
export type Pick = (below: number) => number

type Lines = readonly Buffer[]
type Tamper = (written: Written, pick: Pick) => Contents | Tampered

const firstDifference = (lines: Lines, altered: Lines): number => {
  let at = 0
  while (at < lines.length && altered[at]?.equals(lines[at]!) === true) at += 1
  return at + 1
}

/** Lines that were chained again pass up to the first that contradicts the key or the head. */
const firstProof = (altered: Lines, from: number, { key, head }: { key: Written['key']; head: Head }): number => {
  let at = from - 1
  while (at < altered.length && at + 1 !== head.seq && holds(altered[at]!, altered[at - 1], key)) at += 1
  return at + 1
}

/** Other lines, divided into files at the same positions. */
const laidOut = (files: Written['files'], altered: Lines): Buffer[] => {
  let from = 0
  return files.map(({ length }, index) => {
    const to = index === files.length - 1 ? altered.length : from + length
    const content = Buffer.concat(altered.slice(from, to))
    from = to
    return content
  })
}

/** The same files, with other lines in one of them. */
const inFile = ({ files }: Written, at: number, change: (lines: Lines, index: number) => Lines): Buffer[] => {
  let first = 0
  return contentsOf(
    files.map((lines) => {
      const index = at - first
      first += lines.length
      return index >= 0 && index < lines.length ? change(lines, index) : lines
    }),
  )
}

const without = (lines: Lines, index: number): Lines => lines.toSpliced(index, 1)

/** Replaces this line by another. */
const forged = (bytes: Buffer, before: Buffer | undefined): Buffer => chained({ ...entryOf(bytes), principal: 'mallory' }, before)

/** A line with a correct beginning and end whose content may be invalid. */
const fitting = (bytes: Buffer, before: Buffer | undefined, pick: Pick): Buffer => {
  const one = forged(bytes, before)
  return pick(2) === 0 ? one : Buffer.from(one.toString().replace('"detail":', '"detail";'))
}

/** A position in the bytes of all files. */
const place = ({ files }: Written, pick: Pick): { file: number; offset: number } => {
  const sizes = contentsOf(files).map(({ length }) => length)
  let offset = pick(sizes.reduce((sum, size) => sum + size))
  const file = sizes.findIndex((size) => offset < size || ((offset -= size), false))
  return { file, offset }
}

/** The first `length` lines of the journal, without the later files. */
const upTo = ({ files }: Written, length: number): Buffer[] => {
  const kept: Lines[] = []
  for (let left = length, file = 0; file < files.length && (left > 0 || file === 0); file += 1) {
    const lines = (files[file] ?? []).slice(0, left)
    left -= lines.length
    kept.push(lines)
  }
  return contentsOf(kept)
}

const altered = (how: number, lines: Lines, at: number): Buffer[] => {
  const one = forged(lines[at]!, lines[at - 1])
  return [lines.toSpliced(at, 1, one), lines.toSpliced(at, 1), lines.toSpliced(at, 0, one)][how] ?? []
}

export const tampers: Readonly<Record<string, Tamper>> = {
  'a flipped bit': (written, pick) => {
    const { file, offset } = place(written, pick)
    const files = contentsOf(written.files)
    files[file]![offset]! ^= 1 << pick(8)
    return files
  },
  'a truncated file': (written, pick) => {
    const { file, offset } = place(written, pick)
    return contentsOf(written.files).map((content, index) => (index === file ? content.subarray(0, offset) : content))
  },
  'everything after a byte removed': (written, pick) => {
    const { file, offset } = place(written, pick)
    const files = contentsOf(written.files)
    return [...files.slice(0, file), files[file]!.subarray(0, offset)]
  },
  'a foreign line inserted': (written, pick) => {
    const { lines } = written
    const strange = [Buffer.from('\n'), Buffer.from('{}\n'), Buffer.from('dear diary\n'), lines[pick(lines.length)]!]
    const one = strange[pick(strange.length)]!
    return inFile(written, pick(lines.length), (all, index) => all.toSpliced(index + pick(2), 0, one))
  },
  'a line inserted that matches the previous line': (written, pick) => {
    const at = pick(written.lines.length)
    const one = fitting(written.lines[at]!, written.lines[at - 1], pick)
    return inFile(written, at, (all, index) => all.toSpliced(index, 0, one))
  },
  'a rewritten line': (written, pick) => {
    const at = pick(written.lines.length)
    const one = fitting(written.lines[at]!, written.lines[at - 1], pick)
    return inFile(written, at, (all, index) => all.toSpliced(index, 1, one))
  },
  'a removed line': (written, pick) => inFile(written, pick(written.lines.length), without),
  'two swapped lines': ({ files, lines }, pick) => {
    const one = pick(lines.length)
    const other = (one + 1 + pick(lines.length - 1)) % lines.length
    return laidOut(files, lines.with(one, lines[other]!).with(other, lines[one]!))
  },
  'two swapped files': ({ files }, pick) => {
    const one = pick(files.length)
    const other = (one + 1 + pick(files.length - 1)) % files.length
    return contentsOf(files.with(one, files[other]!).with(other, files[one]!))
  },
  'a removed file': ({ files }, pick) => (contentsOf(files) as (Buffer | undefined)[]).with(pick(files.length - 1), undefined),
  'a checkpoint signed with another key': (written, pick) => {
    const { lines } = written
    const signed = [...lines.keys()].filter((index) => entryOf(lines[index]!).stage === 'checkpoint')
    const at = signed[pick(signed.length)]!
    return inFile(written, at, (all, index) => all.toSpliced(index, 1, signedAnew(lines[at]!, lines[at - 1]!)))
  },
  'all lines after a change chained again': ({ files, lines, heads, key }, pick) => {
    const at = pick(lines.length - 1)
    const how = checkpointing[pick(checkpointing.length)]!
    const changed = rechained(altered(pick(3), lines, at), at, how)
    const head = heads[pick(heads.length)]!
    return { files: laidOut(files, changed), head, line: firstProof(changed, firstDifference(lines, changed), { key, head }) }
  },
  'a few lines chained again': ({ files, lines, heads, key }, pick) => {
    const at = pick(lines.length - 1)
    const to = Math.min(lines.length - 1, at + 1 + pick(6))
    const run = rechained(lines.slice(0, to).with(at, forged(lines[at]!, lines[at - 1])), at, checkpointing[pick(checkpointing.length)])
    const changed = [...run, ...lines.slice(to)]
    const head = heads[pick(heads.length)]!
    // The next line contradicts only the last of them.
    return { files: laidOut(files, changed), head, line: Math.min(to, firstProof(changed, at + 1, { key, head })) }
  },
  'a rollback to an earlier journal': (written, pick) => {
    const length = pick(written.lines.length)
    const head = written.heads[length + 1 + pick(written.lines.length - length)]!
    return { files: upTo(written, length), head, line: length + 1 }
  },
}

/** A known head. Where only the end is removed or altered it is the head of the end, because nothing else proves the end. */
export const tamper = (written: Written, kind: string, pick: Pick): Tampered => {
  const done = tampers[kind]!(written, pick)
  if ('files' in done) return done
  const { heads, lines } = written
  const left = linesOf(done)
  const line = firstDifference(lines, left)
  const atEnd = line >= lines.length || line > left.length
  return { files: done, head: (atEnd ? heads.at(-1) : heads[pick(heads.length)])!, line }
}
