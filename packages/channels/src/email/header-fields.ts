// The header fields of a letter, read by their grammar (RFC 5322, section 2.2). Programs disagree on a line that breaks it, such as one
// with a blank before its colon or with a control character: such a letter proves nothing about its sender.
import type { Email } from 'postal-mime'

export interface HeaderField {
  /** In lower case. */
  readonly name: string
  /** Without line ends. */
  readonly value: string
}

const form = /^([\x21-\x39\x3b-\x7e]+):([\s\S]*)$/

/** All but a tab, and a line end before a folded line. */
const control = /[\x00-\x08\x0b-\x1f\x7f]|\n(?![ \t])/

/** Undefined: a line breaks the grammar. */
export const headerFields = ({ headerLines }: Pick<Email, 'headerLines'>): readonly HeaderField[] | undefined => {
  const fields: HeaderField[] = []
  for (const { line } of headerLines) {
    const [, name, value] = form.exec(line) ?? []
    if (name === undefined || value === undefined || control.test(value)) return undefined
    fields.push({ name: name.toLowerCase(), value: value.replaceAll('\n', '').trim() })
  }
  return fields
}

export const valuesOf = (fields: readonly HeaderField[], wanted: string): string[] =>
  fields.filter(({ name }) => name === wanted).map(({ value }) => value)
