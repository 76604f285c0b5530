// The command that somebody may have meant.

/** How many characters must be put in, left out or replaced to make one word of the other. */
const distance = (from: string, to: string): number => {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (let i = 1; i <= from.length; i += 1) {
    const next = [i]
    for (let j = 1; j <= to.length; j += 1) {
      const kept = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1)
      next.push(Math.min(kept, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[to.length] ?? 0
}

/** Undefined where nothing is near. */
export const nearest = (words: string, known: readonly string[]): string | undefined => {
  const asked = words.slice(0, 64)
  const rated = known.map((each) => ({ each, far: distance(asked, each) })).toSorted((a, b) => a.far - b.far)
  const [best] = rated
  return best !== undefined && best.far <= Math.max(2, best.each.length / 3) ? best.each : undefined
}
