// Parameters, queries and bodies are parsed here once. A refusal names the field and never what was sent.
import { type FieldIssue, limits, ServiceError, toPointer } from '@gatehouse/contracts'
import { validator } from 'hono-openapi'
import type * as v from 'valibot'
import { conversion } from '../openapi/schemas.ts'

interface Issue {
  readonly message: string
  readonly path?: readonly unknown[] | undefined
}
type Outcome = { readonly success: true } | { readonly success: false; readonly error: readonly Issue[] }

const keyOf = (segment: unknown): string =>
  String(typeof segment === 'object' && segment !== null && 'key' in segment ? segment.key : segment)

const pointerOf = (path: readonly unknown[]): string => toPointer(path.map((segment) => keyOf(segment).slice(0, 128)))

/** A message of ours begins with `expected`; a message of the library shows the value, so only what it expected is taken. */
const detailOf = (issue: Issue): string => {
  if (issue.message.startsWith('expected ')) return issue.message
  const expected = 'expected' in issue ? String(issue.expected) : 'another value'
  if (expected === 'never') return 'expected no such member'
  return `expected ${expected}`
}

const fieldIssue = (issue: Issue): FieldIssue => ({ pointer: pointerOf(issue.path ?? []), detail: detailOf(issue) })

const refuse =
  (what: string) =>
  (outcome: Outcome): undefined => {
    if (outcome.success) return
    throw new ServiceError('invalid', {
      detail: `expected ${what} that fits its schema, got one that differs at ${outcome.error.length} place(s)`,
      errors: outcome.error.slice(0, limits.fieldErrors).map(fieldIssue),
    })
  }

/** What no id looks like does not exist. */
const missing = (outcome: Outcome): undefined => {
  if (outcome.success) return
  throw new ServiceError('not-found', { detail: outcome.error.map(detailOf).join(', ') })
}

type Schema = v.GenericSchema<Record<string, unknown>, Record<string, unknown>>

export const body = <S extends v.GenericSchema>(schema: S) => validator('json', schema, refuse('a body'), conversion('input'))
export const query = <S extends Schema>(schema: S) => validator('query', schema, refuse('a query'), conversion('output'))
/** For paths that name what is to be made. */
export const newName = <S extends Schema>(schema: S) => validator('param', schema, refuse('a path'), conversion('input'))
/** For paths that name what should exist. */
export const existing = <S extends Schema>(schema: S) => validator('param', schema, missing, conversion('input'))
