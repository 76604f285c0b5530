// The name of a file as it crosses the border, in either direction: it hides nothing, leads nowhere else and ends where it seems to.

/** Beside these: what makes no mark of its own, such as the fillers of Hangul, is no letter here. */
const strange = /[[^\p{L}\p{M}\p{N} ._\(\)+@\-]\p{Default_Ignorable_Code_Point}]/gv

/** UTF-16 units, and no character is broken. */
const cut = (text: string, most: number): string => text.slice(0, most).replace(/[\uD800-\uDBFF]$/, '')

/** The end of it says what it is, and stays where there is room. */
const shorten = (name: string, most: number): string => {
  const dot = name.lastIndexOf('.')
  const end = dot > 0 && name.length - dot <= 16 ? name.slice(dot) : ''
  return name.length <= most ? name : `${cut(name.slice(0, name.length - end.length), most - end.length)}${end}`
}

/** Of a path the last name. Empty where nothing is left of it. @param most UTF-16 units, 32 at least */
export const plainName = (given: string, most: number): string => {
  const last = given.split(/[/\\]/).at(-1) ?? ''
  const plain = last.replaceAll(strange, '_').replace(/^\.+/, '_').trim()
  return shorten(plain, most).replace(/[ .]+$/, '')
}
