// Makes foreign text safe for a terminal and for JSON: characters that a terminal would obey or hide become readable.
import { visible as written } from '@gatehouse/contracts'

/** One line: line ends and tabs are written out too. */
export const visible = (text: string): string => written(text).replaceAll('\n', '\\n').replaceAll('\t', '\\t')

/** Several lines: line ends and tabs stay what they are. */
export const visibleLines = (text: string): string => written(text.replaceAll('\r\n', '\n'))

/** JSON for programs that is harmless on a terminal too: what is hidden is escaped, which no parser notices. */
const hidden = /[\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u007F-\u009F\u2800]/gu
const control = /[\u0000-\u0008\u000B-\u001F]/

const escape = (character: string): string =>
  Array.from({ length: character.length }, (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`).join('')

/** For text in which what is hidden stands in double quotes alone. */
export const escapeHidden = (text: string): string => text.replace(hidden, escape)

/** Also controls, but line ends and tabs. */
export const hasHidden = (text: string): boolean => control.test(text) || text.search(hidden) !== -1

/** Undefined is null: a command without a result. */
export const toJson = (value: unknown): string => escapeHidden(JSON.stringify(value ?? null, null, 2))

/** Undefined where none is near. */
export const findNearest = async (word: string, known: readonly string[]): Promise<string | undefined> => {
  if (known.length === 0) return undefined
  const { closest, distance } = await import('fastest-levenshtein')
  const near = closest(word, known)
  return distance(word, near) <= Math.max(2, near.length / 3) ? near : undefined
}
