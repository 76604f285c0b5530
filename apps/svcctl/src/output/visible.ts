// Text of others on its way to a terminal: what a terminal would obey or hide becomes readable.

/** Control characters and escapes, marks of direction, everything that takes no room, lone surrogates, private use. */
const hidden = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu

const names: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

const show = (character: string): string =>
  names[character] ?? `<U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}>`

/** One line: line ends and tabs become visible too. */
export const visible = (text: string): string => text.replace(hidden, show)

/** Several lines: line ends and tabs stay what they are. */
export const visibleLines = (text: string): string =>
  text.replaceAll('\r\n', '\n').replace(hidden, (character) => (character === '\n' || character === '\t' ? character : show(character)))
