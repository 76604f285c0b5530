// Converts schemas for the OpenAPI document. Shared schemas become named components.
import {
  AgentGroup,
  AuditEntry,
  CatalogEntry,
  Change,
  ChangeView,
  ChatMessage,
  Explanation,
  Freeze,
  GrantView,
  News,
  Preview,
  Problem,
  ServerView,
  SessionStatus,
  Token,
  ToolDefinition,
  Wired,
} from '@gatehouse/contracts'
import type { ConversionConfig } from '@valibot/to-json-schema'
import { resolver } from 'hono-openapi'
import type * as v from 'valibot'

const definitions = {
  AgentGroup,
  AuditEntry,
  CatalogEntry,
  Change,
  ChangeView,
  ChatMessage,
  Explanation,
  Freeze,
  GrantView,
  News,
  Preview,
  Problem,
  ServerView,
  SessionStatus,
  Token,
  ToolDefinition,
  Wired,
}

/** Shows the default of a numeric query parameter as a number. */
const numericDefault: ConversionConfig['overrideSchema'] = ({ valibotSchema, jsonSchema }) =>
  valibotSchema.type === 'optional' && jsonSchema.type === 'integer' && typeof jsonSchema.default === 'string'
    ? { ...jsonSchema, default: Number(jsonSchema.default) }
    : undefined

/** Options of `resolver` and `validator`, which pass them to the converter. */
export const conversion = (typeMode: 'input' | 'output'): { options: Record<string, unknown> } => ({
  options: {
    target: 'draft-2020-12',
    typeMode,
    definitions,
    errorMode: 'ignore',
    overrideSchema: numericDefault,
    overrideRef: ({ referenceId }) => `#/components/schemas/${referenceId}`,
  } satisfies ConversionConfig,
})

export const documented = (schema: v.GenericSchema): ReturnType<typeof resolver> => resolver(schema, conversion('output'))
