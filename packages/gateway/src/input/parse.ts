// The border: what people and agents send becomes typed, or an `invalid` that names each field by its JSON Pointer.
// Never repeats a value: it may be a secret.
import { type FieldIssue, ServiceError } from '@gatehouse/contracts'
import { fieldIssues } from '@gatehouse/rpc'
import * as v from 'valibot'

/** One token of a JSON Pointer (RFC 6901). */
export const token = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1')

/** RFC 8785 has no form for text with a lone surrogate, and no reader shows one. */
const illFormed = (value: unknown, pointer: string): FieldIssue[] => {
  if (typeof value === 'string') return value.isWellFormed() ? [] : [{ pointer, detail: 'expected Unicode text, got a lone surrogate' }]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, item]) => [...illFormed(key, pointer), ...illFormed(item, `${pointer}/${token(key)}`)])
}

export const invalid = (errors: readonly FieldIssue[], hint?: string): ServiceError =>
  new ServiceError('invalid', { detail: errors.map(({ pointer, detail }) => `${pointer || '/'}: ${detail}`).join('; '), errors, hint })

/** @param root JSON Pointer of `input` within the request body */
export const parse = <S extends v.GenericSchema>(schema: S, input: unknown, root: string): v.InferOutput<S> => {
  const result = v.safeParse(schema, input)
  if (!result.success) {
    const issues = result.issues.map((issue) => (typeof issue.input === 'number' ? { ...issue, received: 'a number' } : issue))
    throw invalid(fieldIssues(issues).map(({ pointer, detail }) => ({ pointer: root + pointer, detail })))
  }
  const issues = illFormed(result.output, root)
  if (issues.length > 0) throw invalid(issues)
  return result.output
}
