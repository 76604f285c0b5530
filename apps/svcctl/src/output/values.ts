// How single values are printed: text without control characters, short ids, and times.
import { visible as written } from '@gatehouse/contracts'
import { wallMs } from '@gatehouse/kernel'

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

/** A change to the second, a session by three characters. Anything shorter is no easier to type. */
const least = { chg_: 18, ses_: 7 } as const

const leastOf = (id: string): number => Object.entries(least).find(([start]) => id.startsWith(start))?.[1] ?? id.length

const isUnique = (prefix: string, ids: readonly string[]): boolean => ids.filter((id) => id.startsWith(prefix)).length === 1

/** Gives the short form of each id of a list. */
export const shortIDs = (ids: readonly string[]): ((id: string) => string) => {
  const distinct = [...new Set(ids)]
  const shortened = new Map(
    distinct.map((id) => {
      for (let length = leastOf(id); length < id.length; length += 1) {
        const prefix = id.slice(0, length)
        if (!prefix.endsWith('.') && isUnique(prefix, distinct)) return [id, prefix]
      }
      return [id, id]
    }),
  )
  return (id) => shortened.get(id) ?? id
}

const units = [
  ['d', 86_400],
  ['h', 3_600],
  ['m', 60],
] as const

const inOneUnit = (seconds: number): string => {
  const unit = units.find(([, size]) => seconds >= size)
  return unit === undefined ? `${seconds}s` : `${Math.floor(seconds / unit[1])}${unit[0]}`
}

/** `12s`, `3m`, `2h`, `5d`. */
export const age = (time: string, now = wallMs()): string => inOneUnit(Math.max(0, Math.floor((now - Date.parse(time)) / 1000)))

/** `3m ago`, or `in 6d` for a time in the future. */
export const relative = (time: string, now = wallMs()): string => {
  const seconds = Math.floor((Date.parse(time) - now) / 1000)
  return seconds > 0 ? `in ${inOneUnit(seconds)}` : `${age(time, now)} ago`
}
