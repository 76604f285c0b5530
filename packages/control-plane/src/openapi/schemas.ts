// How schemas are written in the document: those that many routes share stand once under their name.
import { AgentGroup, AuditEntry, Change, ChatMessage, Grant, limits, Problem, SessionStatus, ToolDefinition } from '@gatehouse/contracts'
import type { ConversionConfig, JsonSchema } from '@valibot/to-json-schema'
import { resolver } from 'hono-openapi'
import * as v from 'valibot'

const definitions = { AgentGroup, AuditEntry, Change, ChatMessage, Grant, Problem, SessionStatus, ToolDefinition }

const digits = v.pipe(v.string(), v.regex(/^\d{1,15}$/, 'expected a whole number'), v.transform(Number))

export const PageLimit = v.pipe(
  digits,
  v.minValue(1, 'expected at least 1'),
  v.maxValue(limits.pageSizeMost, `expected at most ${limits.pageSizeMost}`),
)
export const Sequence = v.pipe(digits, v.integer())

/** A query carries text; its document says what the text means. */
const numbers = new Map<unknown, JsonSchema>([
  [PageLimit, { type: 'integer', minimum: 1, maximum: limits.pageSizeMost }],
  [Sequence, { type: 'integer', minimum: 0 }],
])

/** For `resolver` and `validator`, which hand these on to the converter. */
export const conversion = (typeMode: 'input' | 'output'): { options: Record<string, unknown> } => ({
  options: {
    target: 'draft-2020-12',
    typeMode,
    definitions,
    errorMode: 'ignore',
    overrideRef: ({ referenceId }) => `#/components/schemas/${referenceId}`,
    overrideSchema: ({ valibotSchema }) => numbers.get(valibotSchema),
  } satisfies ConversionConfig,
})

export const documented = (schema: v.GenericSchema): ReturnType<typeof resolver> => resolver(schema, conversion('output'))
