// JSON for programs that is harmless on a terminal too: what is hidden is escaped, which no parser notices.
const hidden = /[\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u007F-\u009F\u2800]/gu

const escape = (character: string): string =>
  Array.from({ length: character.length }, (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`).join('')

export const toJson = (value: unknown): string => JSON.stringify(value, null, 2).replace(hidden, escape)
