// gatehouse.yaml: what a unit should have. What it does not name is left as it is.
import {
  AgentGroupID,
  AgentKind,
  BuiltinTool,
  CatalogEntry,
  GroupLimits,
  McpAccess,
  Member,
  ModelChoice,
  Mount,
  ServerName,
  ServiceError,
  WiringTerms,
} from '@gatehouse/contracts'
import * as v from 'valibot'
import { type Document, parseDocument } from 'yaml'

const { server: _server, ...terms } = McpAccess.entries

export const DeclaredGroup = v.strictObject({
  name: v.optional(v.string()),
  agent: AgentKind,
  persona: v.optional(v.string()),
  model: v.optional(ModelChoice),
  /** All built-in tools that are on; those without which an agent cannot answer are on anyway. */
  tools: v.optional(v.array(BuiltinTool)),
  members: v.optional(v.array(Member)),
  limits: v.optional(GroupLimits),
  providerTools: v.optional(v.array(v.string())),
  /** All mounts. */
  mounts: v.optional(v.array(Mount)),
  /** By tool server; no tools means every tool. */
  grants: v.optional(v.record(ServerName, v.strictObject(terms))),
  wirings: v.optional(v.array(WiringTerms)),
})
export type DeclaredGroup = v.InferOutput<typeof DeclaredGroup>

export const Declaration = v.strictObject({
  version: v.literal(1),
  servers: v.optional(v.record(ServerName, CatalogEntry), {}),
  groups: v.optional(v.record(AgentGroupID, DeclaredGroup), {}),
})
export type Declaration = v.InferOutput<typeof Declaration>

const invalid = (path: string, detail: string): ServiceError =>
  new ServiceError('invalid', { detail: `${path}: ${detail}`, hint: 'svcctl export prints a file of this form' })

const valueOf = (document: Document, path: string): unknown => {
  try {
    return document.toJS({ maxAliasCount: 100 })
  } catch (error) {
    throw invalid(path, error instanceof Error ? error.message : String(error))
  }
}

/** Aliases are not followed far: a small file may otherwise stand for a huge one. */
export const parseDeclaration = (text: string, path: string): Declaration => {
  const document = parseDocument(text, { prettyErrors: true, uniqueKeys: true })
  const [fault] = document.errors
  if (fault !== undefined) throw invalid(path, fault.message)
  const parsed = v.safeParse(Declaration, valueOf(document, path))
  if (parsed.success) return parsed.output
  const errors = parsed.issues.map((issue) => ({
    pointer: `/${(issue.path ?? []).map(({ key }) => String(key)).join('/')}`,
    detail: issue.message,
  }))
  throw new ServiceError('invalid', { detail: `${path}: expected another form`, errors, hint: 'svcctl export prints a file of this form' })
}
