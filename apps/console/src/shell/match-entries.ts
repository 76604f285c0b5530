// Which entries of the palette match what was typed. Pure functions.

export interface PaletteEntry {
  readonly id: string
  readonly label: string
  readonly hint: string
}

const most = 40

/** Lower is better; undefined where a word is missing. */
const rankOf = ({ label, hint }: PaletteEntry, words: readonly string[]): number | undefined => {
  const text = `${label} ${hint}`.toLowerCase()
  if (!words.every((word) => text.includes(word))) return undefined
  const first = words[0] ?? ''
  if (label.toLowerCase().startsWith(first)) return 0
  return text.includes(` ${first}`) ? 1 : 2
}

/** Entries that contain every word, the best first; all of them, in their order, for no words. */
export const matchEntries = <T extends PaletteEntry>(entries: readonly T[], typed: string): readonly T[] => {
  const words = typed
    .toLowerCase()
    .split(/\s+/u)
    .filter((word) => word !== '')
  return entries
    .flatMap((entry) => {
      const rank = rankOf(entry, words)
      return rank === undefined ? [] : [{ entry, rank }]
    })
    .toSorted((a, b) => a.rank - b.rank)
    .slice(0, most)
    .map(({ entry }) => entry)
}
