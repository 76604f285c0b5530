// Cuts a long text into parts that a channel takes: between paragraphs, else lines, else words; never within a character.
// The same text is cut in the same places each time.

const breaks = [/\n\s*\n/g, /\n/g, /\s/g]

/** The end of the last match that leaves a good part of the room used. */
const lastBreak = (room: string, pattern: RegExp): number | undefined => {
  const ends = [...room.matchAll(pattern)].map(({ index, 0: { length } }) => index + length)
  const last = ends.at(-1)
  return last !== undefined && last > room.length / 2 ? last : undefined
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff

const cutAt = (text: string, most: number): number => {
  const room = text.slice(0, most)
  for (const pattern of breaks) {
    const at = lastBreak(room, pattern)
    if (at !== undefined) return at
  }
  return isHighSurrogate(room.charCodeAt(most - 1)) ? most - 1 : most
}

/** `most`: UTF-16 units. At least one part, which is empty for an empty text. */
export const split = (text: string, most: number): string[] => {
  const parts: string[] = []
  let rest = text.trimEnd()
  while (rest.length > most) {
    const at = cutAt(rest, most)
    parts.push(rest.slice(0, at).trimEnd())
    rest = rest.slice(at)
  }
  return [...parts, rest].filter((part, index) => part !== '' || (index === 0 && parts.length === 0))
}
