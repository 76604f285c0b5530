// JSON values of a given size: a flat text, and what costs a parser much more than that.

const fill = (unit: string, bytes: number): string => unit.repeat(Math.max(1, Math.floor(bytes / unit.length)))

/** Values that a border still takes, and text up to the size. */
const full = (values: number, bytes: number): string => {
  const list = fill('{},', values * 3)
  return `[${list}"${'a'.repeat(Math.max(0, bytes - list.length - 10))}"]`
}

export interface Size {
  readonly bytes: number
  /** Values that the border takes. */
  readonly values: number
}

/** The first is the one that the others are compared with. */
export const jsonShapes: Readonly<Record<string, (size: Size) => string>> = {
  flat: ({ bytes }) => `"${'a'.repeat(bytes)}"`,
  'flat, again': ({ bytes }) => `"${'a'.repeat(bytes)}"`,
  'open brackets': ({ bytes }) => '['.repeat(bytes),
  'nested lists': ({ bytes }) => `${'['.repeat(bytes / 2)}${']'.repeat(bytes / 2)}`,
  'nested objects': ({ bytes }) => fill('{"a":', bytes),
  'empty objects': ({ bytes }) => `[${fill('{},', bytes)}1]`,
  numbers: ({ bytes }) => `[${fill('1,', bytes)}1]`,
  'deep and wide': ({ bytes }) => `[${fill(`${'['.repeat(40)}${']'.repeat(40)},`, bytes)}1]`,
  'brackets in a text': ({ bytes }) => `"${fill('[{', bytes)}"`,
  'escapes in a text': ({ bytes }) => `"${fill(String.raw`\u0000\"`, bytes)}"`,
  'line breaks in a text': ({ bytes }) => `"${fill(String.raw`\n`, bytes)}"`,
  'escapes that are taken': ({ bytes }) => `"${fill(String.raw`\n`, (bytes / 3) * 2)}"`,
  'long names': ({ bytes }) => `{${fill(`"${'a'.repeat(20_000)}":1,`, bytes)}"b":1}`,
  '1,000 members of one name': ({ bytes }) => `{${fill('"a":1,', 6_000)}"b":"${'a'.repeat(bytes - 6_100)}"}`,
  'white space': ({ bytes }) => `[${' '.repeat(bytes)}1]`,
  'as many values as are taken': ({ bytes, values }) => full(values, bytes),
}
