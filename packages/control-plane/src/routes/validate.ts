// Validates parameters, queries and bodies. Errors name the field, but never contain the input.
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

/** Keeps the messages of our own schemas. Those of the library start with `Invalid` and contain the value, so they are replaced. */
const detailOf = (issue: Issue): string => {
  if (!issue.message.startsWith('Invalid ')) return issue.message
  const expected = 'expected' in issue ? String(issue.expected) : 'another value'
  if (expected === 'never') return 'unknown member'
  return `expected ${expected}`
}

const fieldIssue = (issue: Issue): FieldIssue => ({ pointer: pointerOf(issue.path ?? []), detail: detailOf(issue) })

const refuse =
  (what: string) =>
  (outcome: Outcome): undefined => {
    if (outcome.success) return
    throw new ServiceError('invalid', {
      detail: `${what} does not match its schema in ${outcome.error.length} place(s)`,
      errors: outcome.error.slice(0, limits.fieldErrors).map(fieldIssue),
    })
  }

/** A malformed id does not exist, so the response is the same. */
const missing = (outcome: Outcome): undefined => {
  if (outcome.success) return
  throw new ServiceError('not-found', { detail: outcome.error.map(detailOf).join(', ') })
}

type Schema = v.GenericSchema<Record<string, unknown>, Record<string, unknown>>

export const body = <S extends v.GenericSchema>(schema: S) => validator('json', schema, refuse('the body'), conversion('input'))
export const query = <S extends Schema>(schema: S) => validator('query', schema, refuse('the query'), conversion('output'))
/** For paths that name a resource to create. */
export const newName = <S extends Schema>(schema: S) => validator('param', schema, refuse('the path'), conversion('input'))
/** For paths that name an existing resource. */
export const existing = <S extends Schema>(schema: S) => validator('param', schema, missing, conversion('input'))
