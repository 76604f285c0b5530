// Splits a long text into parts that fit a channel: between paragraphs, else lines, else words; never within a character.
// Deterministic.

const breaks = [/\n\s*\n/g, /\n/g, /\s/g]

interface Cut {
  /** End of this part and start of the next. */
  readonly end: number
  readonly next: number
}

/** The last break that uses at least half of the room. The break itself may start right behind the room. */
const lastBreak = (text: string, most: number, pattern: RegExp): Cut | undefined => {
  const cuts = [...text.slice(0, most + 1).matchAll(pattern)].map(({ index, 0: { length } }) => ({ end: index, next: index + length }))
  return cuts.findLast(({ end }) => end <= most && end > most / 2)
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff

const cutOf = (text: string, most: number): Cut => {
  for (const pattern of breaks) {
    const cut = lastBreak(text, most, pattern)
    if (cut !== undefined) return cut
  }
  const end = isHighSurrogate(text.charCodeAt(most - 1)) ? most - 1 : most
  return { end, next: end }
}

export interface Cutting {
  readonly text: string
  /** Offset of its start. */
  readonly at: number
}

/** `most`: maximum length in UTF-16 code units, at least 2. Returns at least one part, which is empty for an empty text. */
export const split = (text: string, most: number): Cutting[] => {
  const parts: Cutting[] = []
  const whole = text.trimEnd()
  let at = 0
  while (whole.length - at > most) {
    const { end, next } = cutOf(whole.slice(at), most)
    parts.push({ text: whole.slice(at, at + end).trimEnd(), at })
    at += next
  }
  return [...parts, { text: whole.slice(at), at }].filter(({ text: one }, index) => one !== '' || (index === 0 && parts.length === 0))
}
