// A redactor of values that change while a connection lives.
import { createRedactor, type Redactor } from '../secrets/redact.ts'

/** `read` gives another array when, and only when, something has changed. */
export const createLiveRedactor = (read: () => readonly string[]): Redactor => {
  let known = read()
  let redactor = createRedactor(known)
  const current = (): Redactor => {
    const values = read()
    if (values !== known) [known, redactor] = [values, createRedactor(values)]
    return redactor
  }
  return { text: (text) => current().text(text), json: (value, whole) => current().json(value, whole) }
}

/** What either keeps out. */
export const joinRedactors = (first: Redactor, second: Redactor): Redactor => ({
  text: (text) => second.text(first.text(text)),
  json: (value, whole) => {
    const clean = first.json(value, whole)
    return second.json(clean, clean === value ? whole : undefined)
  },
})
