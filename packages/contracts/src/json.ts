// JSON whose member names others choose. The schema library drops some of them without a word, so that what was pinned,
// configured or asked for would be less than what was sent: here they are kept or refused.
import * as v from 'valibot'

const lost: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])
const lostText = 'expected a name other than __proto__, constructor and prototype'

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value)

/** For whatever becomes the key of a record. */
export const usableName = v.check<string, string>((name) => !lost.has(name), lostText)

const anyObject = v.custom<Record<string, unknown>>(isObject, 'expected an object')
const readObject: (typeof anyObject)['~run'] = (dataset, config) => anyObject['~run'](dataset, config)

/** Any object, with every member of it; a list is none. Documents show it as a record. */
export const JsonObject = Object.assign(v.record(v.string(), v.unknown()), { '~run': readObject })

const refusal = (input: Record<string, unknown>, key: string): v.FailureDataset<v.RecordIssue> => {
  const path: [v.ObjectPathItem] = [{ type: 'object', origin: 'key', input, key, value: input[key] }]
  const issue = { kind: 'schema', type: 'record', input, expected: 'Object', received: 'Object', message: lostText, path } as const
  return { typed: false, value: input, issues: [issue] }
}

/** A record that refuses the names that it would lose. */
export const dictionary = /* @__NO_SIDE_EFFECTS__ */ <K extends v.GenericSchema<string, string>, V extends v.GenericSchema>(
  key: K,
  value: V,
) => {
  const record = v.record(key, value)
  const read = record['~run']
  const run: typeof read = (dataset, config) => {
    const input = dataset.value
    const bad = isObject(input) ? Object.keys(input).find((name) => lost.has(name)) : undefined
    return isObject(input) && bad !== undefined ? refusal(input, bad) : read.call(record, dataset, config)
  }
  return Object.assign(record, { '~run': run })
}

/** What is nested deeper would exhaust whoever writes it again, and a database that reads it. */
export const isDeeperThan = (value: unknown, most: number): boolean =>
  typeof value === 'object' && value !== null && (most === 0 || Object.values(value).some((member) => isDeeperThan(member, most - 1)))

/** Controls but newline and tab, marks of direction, line separators, all that takes no room, the blank that is no space. */
const hidden = /[[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]--[\n\t]]/gv

/** Each hidden character becomes `\u{202e}`; everything else stays as it is. */
export const visible = (text: string): string =>
  text.replaceAll(hidden, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`)

const escape = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`

/** The same value in JSON that hides nothing: each hidden character of a JSON text becomes its own escape. */
export const visibleJson = (json: string): string => json.replaceAll(hidden, (character) => character.split('').map(escape).join(''))
