// The shortest way from one sequence of texts to another (Myers), for texts that people wrote.

export type Mark = 'same' | 'gone' | 'new'
export interface Step {
  readonly mark: Mark
  readonly text: string
}

/** Beyond so many differences nobody reads the shortest way; it also bounds time and memory. */
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

/** What goes stands before what comes. */
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
