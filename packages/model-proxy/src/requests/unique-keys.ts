// Whether each object of a JSON text names each of its fields once. Two parsers may take different ones of two.
import { jsonBounds } from '@gatehouse/contracts'
import { parseScannedJson } from '@gatehouse/kernel'

const quote = 34
const backslash = 92

/** Offset behind the string that begins at `at`. The text is valid JSON. */
const stringEnd = (text: string, at: number): number => {
  for (let end = text.indexOf('"', at + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let slashes = 0
    while (text.charCodeAt(end - 1 - slashes) === backslash) slashes++
    if (slashes % 2 === 0) return end + 1
  }
  return text.length
}

const isSpace = (code: number): boolean => code === 32 || code === 9 || code === 10 || code === 13

const isKey = (text: string, end: number): boolean => {
  let at = end
  while (isSpace(text.charCodeAt(at))) at++
  return text[at] === ':'
}

const scan = (text: string): boolean => {
  const open: Set<unknown>[] = []
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) {
      const end = stringEnd(text, at)
      if (isKey(text, end)) {
        const name = parseScannedJson(text.slice(at, end), jsonBounds.modelRequest)
        const names = open.at(-1)
        if (names?.has(name) === true) return false
        names?.add(name)
      }
      at = end - 1
    } else if (text[at] === '{') open.push(new Set())
    else if (text[at] === '}') open.pop()
  }
  return true
}

/** @param canonical what the parsed text is written as: the same text has lost no field */
export const hasUniqueKeys = (text: string, canonical: string): boolean => text === canonical || scan(text)
