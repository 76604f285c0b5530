// From the bytes of `POST /call` to a call.
import { type FieldIssue, isDeeperThan, limits, ServiceError, ToolCall } from '@gatehouse/contracts'
import * as v from 'valibot'

const shape = '{ "name": "<server>__<tool>", "arguments": { … } }'

const escape = (key: unknown): string => String(key).replaceAll('~', '~0').replaceAll('/', '~1')

const issueOf = (issue: v.BaseIssue<unknown>): FieldIssue => ({
  pointer: (issue.path ?? []).map(({ key }) => `/${escape(key)}`).join(''),
  detail: `expected ${issue.expected ?? 'another value'}`,
})

const parseJson = (body: Buffer): unknown => {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    throw new ServiceError('malformed', { detail: `expected a body of JSON: ${shape}, got what is no JSON` })
  }
}

/** Throws `malformed`; never repeats an argument. */
export const parseCall = (body: Buffer): ToolCall => {
  const value = parseJson(body)
  if (isDeeperThan(value, limits.jsonDepth))
    throw new ServiceError('malformed', { detail: `expected at most ${limits.jsonDepth} levels of nesting` })
  const parsed = v.safeParse(ToolCall, value)
  if (parsed.success) return parsed.output
  throw new ServiceError('malformed', { detail: `expected ${shape}`, errors: parsed.issues.map(issueOf) })
}
