// How a value reads where somebody wrote it down who did not mean to hide it: in a URL, in a header, in a dump.

/** Shorter ones would be found in what has nothing to do with them. */
const shortest = 12

/** What stands in the base64 of any longer text that holds these bytes: without what depends on its neighbours. */
const inBase64 = (bytes: Buffer): string[] =>
  [0, 2, 3].flatMap((skipped, before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64')
    const piece = text.slice(skipped, Math.floor((before + bytes.length) / 3) * 4)
    return [piece, piece.replaceAll('+', '-').replaceAll('/', '_')]
  })

const inUrl = (value: string): string[] => {
  const text = encodeURIComponent(value.toWellFormed())
  return [text, text.replaceAll('%20', '+')]
}

/** None of them is the value itself. */
export const disguisesOf = (value: string): string[] => {
  const bytes = Buffer.from(value)
  const hex = bytes.toString('hex')
  const all = [...inUrl(value), ...inBase64(bytes), hex, hex.toUpperCase()]
  return all.filter((text) => text.length >= shortest && text !== value)
}
