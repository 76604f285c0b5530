// How a page of the reference is put together.

export const table = (head: readonly string[], rows: readonly (readonly (string | number)[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.map(escaped).join(' | ')} |`).join('\n')

/** Within a cell. */
const escaped = (cell: string | number): string =>
  String(cell)
    .replaceAll('|', String.raw`\|`)
    .replaceAll('\n', ' ')

export const page = (title: string, ...parts: readonly string[]): string =>
  [`# ${title}`, '<!-- Written by tooling/reference from the tables in the code. -->', ...parts].join('\n\n') + '\n'

export const code = (text: string): string => `\`${text}\``

export const listed = (names: readonly string[]): string => names.map(code).join(', ')
