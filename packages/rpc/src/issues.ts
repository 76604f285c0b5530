// What is wrong with a value, field by field, for whoever sent it. Names fields and types, never the value.
import type { FieldIssue } from '@gatehouse/contracts'
import type * as v from 'valibot'

const most = 32

const pointerOf = (issue: v.BaseIssue<unknown>): string =>
  (issue.path ?? []).map((item) => `/${String(item.key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

const got = (received: string): string => {
  if (received === 'undefined') return 'nothing'
  return received.startsWith('"') ? 'another text' : received
}

/** Own messages are kept; those of the library would quote what was got. */
const detailOf = (issue: v.BaseIssue<unknown>): string => {
  if (!issue.message.startsWith('Invalid ')) return issue.message
  if (issue.expected === 'never') return 'expected no such member'
  return `expected ${issue.expected ?? 'another value'}, got ${got(issue.received)}`
}

/** JSON Pointers (RFC 6901) into the value that was parsed; at most 32. */
export const fieldIssues = (issues: readonly v.BaseIssue<unknown>[]): FieldIssue[] =>
  issues.slice(0, most).map((issue) => ({ pointer: pointerOf(issue), detail: detailOf(issue) }))
