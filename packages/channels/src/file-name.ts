// Sanitizes file names in both directions: no path, no hidden file, no invisible or direction-changing characters.

/** Everything but letters, digits and a few signs. Invisible code points, such as Hangul fillers, do not count as letters. */
const strange = /[[^\p{L}\p{M}\p{N} ._\(\)+@\-]\p{Default_Ignorable_Code_Point}]/gv

/** Limits the length in UTF-16 code units without splitting a character. */
const cut = (text: string, most: number): string => text.slice(0, most).replace(/[\uD800-\uDBFF]$/, '')

/** Keeps a short file extension. */
const shorten = (name: string, most: number): string => {
  const dot = name.lastIndexOf('.')
  const end = dot > 0 && name.length - dot <= 16 ? name.slice(dot) : ''
  return name.length <= most ? name : `${cut(name.slice(0, name.length - end.length), most - end.length)}${end}`
}

/** The last name of a path. Empty if nothing is left. @param most maximum length in UTF-16 code units, at least 32 */
export const plainName = (path: string, most: number): string => {
  const last = path.split(/[/\\]/).at(-1) ?? ''
  const plain = last.replaceAll(strange, '_').replace(/^\.+/, '_').trim()
  return shorten(plain, most).replace(/[ .]+$/, '')
}
