// A unit as a declaration in YAML. Nothing in it would be obeyed or hidden by a terminal.
import type { AgentGroup, CatalogEntry } from '@gatehouse/contracts'
import { Document, isScalar, visit } from 'yaml'
import { escapeHidden, hasHidden } from '../output/json.ts'
import type { Present } from './read-unit.ts'

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

export const declarationOf = (present: Present): Json => ({
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
