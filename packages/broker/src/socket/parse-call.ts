// From the bytes of `POST /call` to a call.
import { type FieldIssue, jsonBounds, ServiceError, ToolCall } from '@gatehouse/contracts'
import { parseScannedJson } from '@gatehouse/kernel'
import * as v from 'valibot'

const shape = '{ "name": "<server>__<tool>", "arguments": { … } }'

const escape = (key: unknown): string => String(key).replaceAll('~', '~0').replaceAll('/', '~1')

const issueOf = (issue: v.BaseIssue<unknown>): FieldIssue => ({
  pointer: (issue.path ?? []).map(({ key }) => `/${escape(key)}`).join(''),
  detail: `expected ${issue.expected ?? 'another value'}`,
})

const parseJson = (body: Buffer): unknown => {
  try {
    return parseScannedJson(body.toString('utf8'), jsonBounds.toolCall)
  } catch {
    throw new ServiceError('malformed', { detail: `expected a body of JSON: ${shape}, got what is no JSON` })
  }
}

/** The body was scanned while it arrived. Throws `malformed`; never repeats an argument. */
export const parseCall = (body: Buffer): ToolCall => {
  const value = parseJson(body)
  const parsed = v.safeParse(ToolCall, value)
  if (parsed.success) return parsed.output
  throw new ServiceError('malformed', { detail: `expected ${shape}`, errors: parsed.issues.map(issueOf) })
}
