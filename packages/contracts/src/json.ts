// Schemas for JSON objects with arbitrary keys. The schema library silently drops some keys; these schemas keep or refuse them.
import * as v from 'valibot'

const droppedKeys: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])
const droppedKeyText = 'expected a name other than __proto__, constructor or prototype'

/** An object of JSON; a list is none. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The JSON Pointer (RFC 6901) to a member, by the keys that lead to it. */
export const toPointer = (keys: readonly unknown[]): string =>
  keys.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

/** The keys that a JSON Pointer names, from the outside in. */
export const readPointer = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))

/** For strings that become keys of a record. */
export const usableName = v.check<string, string>((name) => !droppedKeys.has(name), droppedKeyText)

const anyObject = v.custom<Record<string, unknown>>(isObject, 'expected an object')
const readObject: (typeof anyObject)['~run'] = (dataset, config) => anyObject['~run'](dataset, config)

/** Any object with all its members, but not an array. The API documentation shows it as a record. */
export const JsonObject = Object.assign(v.record(v.string(), v.unknown()), { '~run': readObject })

const refusal = (input: Record<string, unknown>, key: string): v.FailureDataset<v.RecordIssue> => {
  const path: [v.ObjectPathItem] = [{ type: 'object', origin: 'key', input, key, value: input[key] }]
  const issue = { kind: 'schema', type: 'record', input, expected: 'Object', received: 'Object', message: droppedKeyText, path } as const
  return { typed: false, value: input, issues: [issue] }
}

/** A record that refuses keys that the library would drop. */
export const dictionary = /* @__NO_SIDE_EFFECTS__ */ <K extends v.GenericSchema<string, string>, V extends v.GenericSchema>(
  key: K,
  value: V,
) => {
  const record = v.record(key, value)
  const read = record['~run']
  const run: typeof read = (dataset, config) => {
    const input = dataset.value
    const bad = isObject(input) ? Object.keys(input).find((name) => droppedKeys.has(name)) : undefined
    return isObject(input) && bad !== undefined ? refusal(input, bad) : read.call(record, dataset, config)
  }
  return Object.assign(record, { '~run': run })
}

/** Whether a value is nested deeper than a number of levels. */
export const isDeeperThan = (value: unknown, levels: number): boolean =>
  typeof value === 'object' && value !== null && (levels === 0 || Object.values(value).some((member) => isDeeperThan(member, levels - 1)))

/** Control characters except newline and tab, bidirectional marks, line separators, and invisible characters. */
const hidden = /[[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]--[\n\t]]/gv

/** Escapes hidden characters, such as `\u{202e}`. */
export const visible = (text: string): string =>
  text.replaceAll(hidden, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`)

const escape = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`

/** Escapes hidden characters in a JSON text without changing its value. */
export const visibleJson = (json: string): string => json.replaceAll(hidden, (character) => character.split('').map(escape).join(''))
