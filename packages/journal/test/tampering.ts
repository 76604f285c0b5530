// Ways to tamper with the files of a journal, each with the line that must be named, found without any code of the journal.
import type { Head } from '../src/index.ts'
import { chained, checkpointing, entryOf, holds, rechained, signedAnew } from './forge.ts'
import { type Contents, contentsOf, linesOf, type Written } from './written.ts'

export interface Tampered {
  readonly files: Contents
  /** That was kept. */
  readonly head: Head
  /** The first bad one, from 1. */
  readonly line: number
}

/** A number from 0 up to, but not including, the one given. */
export type Pick = (below: number) => number

type Lines = readonly Buffer[]
type Tamper = (written: Written, pick: Pick) => Contents | Tampered

const firstDifference = (lines: Lines, altered: Lines): number => {
  let at = 0
  while (at < lines.length && altered[at]?.equals(lines[at]!) === true) at += 1
  return at + 1
}

/** Lines that were chained anew are as good as others up to the first that the key or the head belies. */
const firstProof = (altered: Lines, from: number, { key, head }: { key: Written['key']; head: Head }): number => {
  let at = from - 1
  while (at < altered.length && at + 1 !== head.seq && holds(altered[at]!, altered[at - 1], key)) at += 1
  return at + 1
}

/** Where each file of the journal begins and ends, laid over other lines. */
const laidOut = (files: Written['files'], altered: Lines): Buffer[] => {
  let from = 0
  return files.map(({ length }, index) => {
    const to = index === files.length - 1 ? altered.length : from + length
    const content = Buffer.concat(altered.slice(from, to))
    from = to
    return content
  })
}

/** The same files, one of them with other lines. */
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

/** Another line in the place of this one. */
const forged = (bytes: Buffer, before: Buffer | undefined): Buffer => chained({ ...entryOf(bytes), principal: 'mallory' }, before)

/** One that begins and ends as it must, and may be no entry in between. */
const fitting = (bytes: Buffer, before: Buffer | undefined, pick: Pick): Buffer => {
  const one = forged(bytes, before)
  return pick(2) === 0 ? one : Buffer.from(one.toString().replace('"detail":', '"detail";'))
}

/** A place in all bytes of all files. */
const place = ({ files }: Written, pick: Pick): { file: number; offset: number } => {
  const sizes = contentsOf(files).map(({ length }) => length)
  let offset = pick(sizes.reduce((sum, size) => sum + size))
  const file = sizes.findIndex((size) => offset < size || ((offset -= size), false))
  return { file, offset }
}

/** The journal up to `length` lines, as if the later files had never been begun. */
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
  'a bit flipped': (written, pick) => {
    const { file, offset } = place(written, pick)
    const files = contentsOf(written.files)
    files[file]![offset]! ^= 1 << pick(8)
    return files
  },
  'a file cut': (written, pick) => {
    const { file, offset } = place(written, pick)
    return contentsOf(written.files).map((content, index) => (index === file ? content.subarray(0, offset) : content))
  },
  'all cut from a byte on': (written, pick) => {
    const { file, offset } = place(written, pick)
    const files = contentsOf(written.files)
    return [...files.slice(0, file), files[file]!.subarray(0, offset)]
  },
  'a strange line put in': (written, pick) => {
    const { lines } = written
    const strange = [Buffer.from('\n'), Buffer.from('{}\n'), Buffer.from('dear diary\n'), lines[pick(lines.length)]!]
    const one = strange[pick(strange.length)]!
    return inFile(written, pick(lines.length), (all, index) => all.toSpliced(index + pick(2), 0, one))
  },
  'a line put in that fits the line before it': (written, pick) => {
    const at = pick(written.lines.length)
    const one = fitting(written.lines[at]!, written.lines[at - 1], pick)
    return inFile(written, at, (all, index) => all.toSpliced(index, 0, one))
  },
  'a line written anew': (written, pick) => {
    const at = pick(written.lines.length)
    const one = fitting(written.lines[at]!, written.lines[at - 1], pick)
    return inFile(written, at, (all, index) => all.toSpliced(index, 1, one))
  },
  'a line taken out': (written, pick) => inFile(written, pick(written.lines.length), without),
  'two lines swapped': ({ files, lines }, pick) => {
    const one = pick(lines.length)
    const other = (one + 1 + pick(lines.length - 1)) % lines.length
    return laidOut(files, lines.with(one, lines[other]!).with(other, lines[one]!))
  },
  'two files swapped': ({ files }, pick) => {
    const one = pick(files.length)
    const other = (one + 1 + pick(files.length - 1)) % files.length
    return contentsOf(files.with(one, files[other]!).with(other, files[one]!))
  },
  'a file dropped': ({ files }, pick) => (contentsOf(files) as (Buffer | undefined)[]).with(pick(files.length - 1), undefined),
  'a checkpoint signed with another key': (written, pick) => {
    const { lines } = written
    const signed = [...lines.keys()].filter((index) => entryOf(lines[index]!).stage === 'checkpoint')
    const at = signed[pick(signed.length)]!
    return inFile(written, at, (all, index) => all.toSpliced(index, 1, signedAnew(lines[at]!, lines[at - 1]!)))
  },
  'all lines behind a change chained anew': ({ files, lines, heads, key }, pick) => {
    const at = pick(lines.length - 1)
    const how = checkpointing[pick(checkpointing.length)]!
    const changed = rechained(altered(pick(3), lines, at), at, how)
    const head = heads[pick(heads.length)]!
    return { files: laidOut(files, changed), head, line: firstProof(changed, firstDifference(lines, changed), { key, head }) }
  },
  'a few lines chained anew': ({ files, lines, heads, key }, pick) => {
    const at = pick(lines.length - 1)
    const to = Math.min(lines.length - 1, at + 1 + pick(6))
    const run = rechained(lines.slice(0, to).with(at, forged(lines[at]!, lines[at - 1])), at, checkpointing[pick(checkpointing.length)])
    const changed = [...run, ...lines.slice(to)]
    const head = heads[pick(heads.length)]!
    // The line behind them belies the last of them alone.
    return { files: laidOut(files, changed), head, line: Math.min(to, firstProof(changed, at + 1, { key, head })) }
  },
  'a roll-back to an earlier journal': (written, pick) => {
    const length = pick(written.lines.length)
    const head = written.heads[length + 1 + pick(written.lines.length - length)]!
    return { files: upTo(written, length), head, line: length + 1 }
  },
}

/** Some head was kept; where the end alone is gone or altered it is that of the end, since nothing else speaks for it. */
export const tamper = (written: Written, kind: string, pick: Pick): Tampered => {
  const done = tampers[kind]!(written, pick)
  if ('files' in done) return done
  const { heads, lines } = written
  const left = linesOf(done)
  const line = firstDifference(lines, left)
  const atEnd = line >= lines.length || line > left.length
  return { files: done, head: (atEnd ? heads.at(-1) : heads[pick(heads.length)])!, line }
}
