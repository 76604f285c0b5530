// A diff of two texts by lines and by words, with long unchanged parts collapsed. Pure functions.
type Mark = 'same' | 'gone' | 'new'
interface Step {
  readonly mark: Mark
  readonly text: string
}

/** Maximum number of differences for which the shortest edit is searched; it bounds time and memory. */
const most = 600

const steps = (mark: Mark, texts: readonly string[]): Step[] => texts.map((text) => ({ mark, text }))

/** The furthest places reached with each number of differences; undefined beyond `most`. */
const reach = (a: readonly string[], b: readonly string[]): Int32Array[] | undefined => {
  const bound = Math.min(a.length + b.length, most)
  const at = new Int32Array(2 * bound + 3)
  const trace: Int32Array[] = []
  for (let d = 0; d <= bound; d += 1) {
    trace.push(at.slice())
    for (let k = -d; k <= d; k += 2) {
      const down = k === -d || (k !== d && (at[bound + k] ?? 0) < (at[bound + k + 2] ?? 0))
      let x = down ? (at[bound + k + 2] ?? 0) : (at[bound + k] ?? 0) + 1
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x += 1
      at[bound + k + 1] = x
      if (x >= a.length && x - k >= b.length) return trace
    }
  }
  return undefined
}

const walkBack = (a: readonly string[], b: readonly string[], trace: readonly Int32Array[]): Step[] => {
  const bound = Math.min(a.length + b.length, most)
  const found: Step[] = []
  let x = a.length
  let y = b.length
  for (let d = trace.length - 1; d >= 0; d -= 1) {
    const at = trace[d] ?? new Int32Array()
    const k = x - y
    const down = k === -d || (k !== d && (at[bound + k] ?? 0) < (at[bound + k + 2] ?? 0))
    const before = d === 0 ? 0 : (at[bound + (down ? k + 2 : k)] ?? 0)
    const beforeY = d === 0 ? 0 : before - (down ? k + 1 : k - 1)
    for (; x > before && y > beforeY; x -= 1, y -= 1) found.push({ mark: 'same', text: a[x - 1] ?? '' })
    if (d === 0) break
    found.push(down ? { mark: 'new', text: b[beforeY] ?? '' } : { mark: 'gone', text: a[before] ?? '' })
    x = before
    y = beforeY
  }
  return found.toReversed()
}

/** Removed lines come before added ones. */
const inOrder = (found: readonly Step[]): Step[] => {
  const ordered: Step[] = []
  let added: Step[] = []
  for (const step of found) {
    if (step.mark === 'new') added.push(step)
    else if (step.mark === 'gone') ordered.push(step)
    else {
      ordered.push(...added, step)
      added = []
    }
  }
  return [...ordered, ...added]
}

/** The shortest edit of one sequence of texts into another (Myers). */
export const compare = (a: readonly string[], b: readonly string[]): Step[] => {
  let head = 0
  while (head < a.length && head < b.length && a[head] === b[head]) head += 1
  let tail = 0
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail += 1
  const left = a.slice(head, a.length - tail)
  const right = b.slice(head, b.length - tail)
  const trace = reach(left, right)
  const middle = trace === undefined ? [...steps('gone', left), ...steps('new', right)] : inOrder(walkBack(left, right, trace))
  return [...steps('same', a.slice(0, head)), ...middle, ...steps('same', a.slice(a.length - tail))]
}

export interface Piece {
  readonly text: string
  /** Within a line that has a counterpart: what is not the same there. */
  readonly changed: boolean
}
export interface Line {
  readonly mark: Mark
  readonly pieces: readonly Piece[]
}
/** A run of lines. `fold`: nothing in it has changed, and it is far from what has. */
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

/** Lines that have little in common are shown as two lines, not as an edited one. */
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
