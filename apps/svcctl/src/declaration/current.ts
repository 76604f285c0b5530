// The current state of a unit as far as a declaration covers it, and that state as a declaration.
import type { Client } from '@gatehouse/client'
import {
  type AgentGroup,
  type CatalogEntry,
  type Change,
  type GrantView,
  isServiceError,
  type ServerView,
  type Wired,
} from '@gatehouse/contracts'
import { Document, isScalar, visit } from 'yaml'
import { readAllPages } from '../connection/pages.ts'
import { escapeHidden, hasHidden } from '../output/values.ts'

export interface Present {
  readonly groups: readonly AgentGroup[]
  readonly grants: readonly GrantView[]
  readonly wirings: readonly Wired[]
  /** Null on a unit without tool servers. */
  readonly servers: readonly ServerView[] | null
  readonly held: readonly Change[]
}

const serversOf = async (client: Client): Promise<readonly ServerView[] | null> => {
  try {
    return (await client.servers.list()).items
  } catch (error) {
    if (isServiceError(error) && error.code === 'mcp-disabled') return null
    throw error
  }
}

export const readUnit = async (client: Client): Promise<Present> => {
  const [groups, grants, wirings, servers, held] = await Promise.all([
    readAllPages((cursor) => client.groups.list({ cursor })),
    readAllPages((cursor) => client.grants.list({ cursor })),
    readAllPages((cursor) => client.wirings.list({ cursor })),
    serversOf(client),
    readAllPages((cursor) => client.changes.pending({ cursor })),
  ])
  return { groups, grants, wirings, servers, held }
}

/** A unit as a declaration in YAML. Nothing in it would be obeyed or hidden by a terminal. */
type Json = Record<string, unknown>

/** Without members that are undefined or empty: what is not named stays as it is, and there is nothing to stay. */
const filled = (state: Json): Json =>
  Object.fromEntries(
    Object.entries(state).filter(
      ([, value]) => value !== undefined && !(typeof value === 'object' && value !== null && Object.keys(value).length === 0),
    ),
  )

const entryOf = (entry: CatalogEntry): Json =>
  filled(entry.transport === 'stdio' ? { ...entry, image: entry.image === '' ? undefined : entry.image, imageID: undefined } : { ...entry })

const groupOf = (group: AgentGroup, { grants, wirings }: Present): Json => {
  const granted = grants.filter(({ agentGroupID, state }) => agentGroupID === group.id && state === 'active')
  const wired = wirings.filter(({ agentGroupID }) => agentGroupID === group.id)
  return {
    name: group.name,
    agent: group.agent,
    ...(group.persona !== '' && { persona: group.persona }),
    tools: group.tools,
    ...filled({
      model: group.model,
      members: group.members,
      limits: group.limits,
      providerTools: group.providerTools,
      mounts: group.mounts.map(({ source, target, mode }) => ({ source, target, mode })),
      grants: Object.fromEntries(
        granted.map(({ server, tools, expiresAt, maxCalls }) => [server, { tools, ...filled({ expiresAt, maxCalls }) }]),
      ),
      wirings: wired.map(({ channel, address, engage, pattern, session }) => filled({ channel, address, engage, pattern, session })),
    }),
  }
}

export const buildDeclaration = (present: Present): Json => ({
  version: 1,
  servers: Object.fromEntries((present.servers ?? []).map(({ name, entry }) => [name, entryOf(entry)])),
  groups: Object.fromEntries(present.groups.map((group) => [group.id, groupOf(group, present)])),
})

/** Hidden characters have escapes in double quotes alone. */
export const toYaml = (declaration: Json): string => {
  const document = new Document(declaration)
  visit(document, {
    Scalar: (_, node) => {
      if (isScalar(node) && typeof node.value === 'string' && hasHidden(node.value)) node.type = 'QUOTE_DOUBLE'
    },
  })
  return escapeHidden(document.toString({ lineWidth: 0 }))
}
