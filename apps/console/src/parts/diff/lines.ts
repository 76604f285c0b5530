// Two texts, line by line: what goes, what comes, which words of a line are others, and long stretches of sameness folded.
import { compare, type Mark, type Step } from './sequence.ts'

export interface Piece {
  readonly text: string
  /** Within a line that has a counterpart: what is not the same there. */
  readonly changed: boolean
}
export interface Line {
  readonly mark: Mark
  readonly pieces: readonly Piece[]
}
/** A stretch of lines; `fold`: nothing in it is different, and it is far from what is. */
export interface Stretch {
  readonly fold: boolean
  readonly lines: readonly Line[]
}

const around = 3
const longestLine = 4_000

const whole = ({ mark, text }: Step): Line => ({ mark, pieces: [{ text, changed: false }] })
const words = (text: string): string[] => text.split(/(\s+)/u).filter((word) => word !== '')
const lengthOf = (found: readonly Step[], mark: Mark): number =>
  found.reduce((sum, step) => sum + (step.mark === mark ? step.text.trim().length : 0), 0)

const side = (mark: 'gone' | 'new', found: readonly Step[]): Line => ({
  mark,
  pieces: found
    .filter((step) => step.mark !== (mark === 'gone' ? 'new' : 'gone'))
    .map((step) => ({ text: step.text, changed: step.mark === mark })),
})

/** Lines that share little are two lines, not one that was edited. */
const pair = (gone: Step, added: Step): readonly [Line, Line] => {
  if (Math.max(gone.text.length, added.text.length) > longestLine) return [whole(gone), whole(added)]
  const found = compare(words(gone.text), words(added.text))
  const isEdited = 3 * lengthOf(found, 'same') >= Math.max(gone.text.trim().length, added.text.trim().length)
  return isEdited ? [side('gone', found), side('new', found)] : [whole(gone), whole(added)]
}

const block = (gone: readonly Step[], added: readonly Step[]): Line[] => {
  const pairs = gone.slice(0, added.length).map((step, index) => pair(step, added[index] ?? step))
  return [
    ...pairs.map(([line]) => line),
    ...gone.slice(pairs.length).map(whole),
    ...pairs.map(([, line]) => line),
    ...added.slice(pairs.length).map(whole),
  ]
}

const toLines = (found: readonly Step[]): Line[] => {
  const lines: Line[] = []
  let gone: Step[] = []
  let added: Step[] = []
  for (const step of [...found, { mark: 'same', text: '' } as const]) {
    if (step.mark === 'gone') gone.push(step)
    else if (step.mark === 'new') added.push(step)
    else {
      lines.push(...block(gone, added), whole(step))
      gone = []
      added = []
    }
  }
  return lines.slice(0, -1)
}

const folded = (lines: readonly Line[]): Stretch[] => {
  const stretches: Stretch[] = []
  for (let from = 0; from < lines.length;) {
    const isSame = lines[from]?.mark === 'same'
    let to = from
    while (to < lines.length && (lines[to]?.mark === 'same') === isSame) to += 1
    const keptBefore = from === 0 ? 0 : around
    const keptAfter = to === lines.length ? 0 : around
    const hidden = to - from - keptBefore - keptAfter
    if (isSame && hidden > 1) {
      stretches.push({ fold: false, lines: lines.slice(from, from + keptBefore) })
      stretches.push({ fold: true, lines: lines.slice(from + keptBefore, to - keptAfter) })
      stretches.push({ fold: false, lines: lines.slice(to - keptAfter, to) })
    } else stretches.push({ fold: false, lines: lines.slice(from, to) })
    from = to
  }
  return stretches.filter((stretch) => stretch.lines.length > 0)
}

const linesOf = (text: string): string[] => (text === '' ? [] : text.split('\n'))

export const diffLines = (before: string, after: string): Stretch[] => folded(toLines(compare(linesOf(before), linesOf(after))))
