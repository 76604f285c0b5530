// The one way in which untrusted text is shown to a person: what hides, moves or reorders is written out.

/** Controls but newline and tab, marks of direction, line separators, all that takes no room, the blank that is no space. */
const hidden = /[[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]--[\n\t]]/gv

/** Each hidden character becomes `\u{202e}`; everything else stays as it is. */
export const visible = (text: string): string =>
  text.replaceAll(hidden, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`)

const escape = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`

/** The same value in JSON that hides nothing: each hidden character of a JSON text becomes its own escape. */
export const visibleJson = (json: string): string => json.replaceAll(hidden, (character) => character.split('').map(escape).join(''))
