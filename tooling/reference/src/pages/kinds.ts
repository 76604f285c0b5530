// Every kind of change, with the shape of what is asked for.
import { agentKinds, kindAliases, kindNames, kinds, type Kind } from '@gatehouse/contracts'
import { code, listed, page, table } from '../page.ts'
import { fieldsOf, schemaOf } from '../schema.ts'

/** A kind that is added must be explained here. */
const facts: Readonly<Record<Kind, { readonly does: string; readonly risk: string }>> = {
  agent_create: { does: 'makes an agent group', risk: 'low' },
  agent_remove: { does: 'removes a group with its sessions; its files are kept for seven days', risk: 'medium' },
  persona: { does: 'replaces its instructions', risk: 'medium' },
  tools: { does: 'says which built-in tools are on', risk: 'medium' },
  packages: { does: 'says which packages of npm it has; the resolved tree is what is approved', risk: 'high; medium where none is left' },
  wiring: { does: 'makes or ends a wiring to an address of a channel', risk: 'medium; high where everybody may speak to it' },
  permissions: { does: 'sets members, model, limits, provider tools', risk: 'medium; high where power grows' },
  mounts: { does: 'says which paths of the host it sees below `/mnt`', risk: 'medium; high when writable' },
  mcp_access: {
    does: 'grants tools of a server, in the place of the grant before; an empty list is every tool that the server declares',
    risk: 'medium; high for all tools, destructive ones, without evidence, or after a change of definitions',
  },
  mcp_revoke: { does: 'ends a grant, or some of its tools', risk: 'low; only takes power away' },
  mcp_register: { does: 'adds an entry to the catalog under a free name', risk: 'high' },
}

const isAgentKind = (kind: Kind): boolean => agentKinds.some((each) => each === kind)

const aliasesOf = (kind: Kind): string[] => Object.keys(kindAliases).filter((alias) => kindAliases[alias] === kind)

const sectionOf = (kind: Kind): string => {
  const aliases = aliasesOf(kind)
  return [
    `## ${kind}`,
    `${facts[kind].does.replace(/^./, (first) => first.toUpperCase())}.${aliases.length === 0 ? '' : ` Also written ${listed(aliases)}.`}`,
    fieldsOf(schemaOf(kinds[kind])),
  ].join('\n\n')
}

export const kindsPage = (): string =>
  page(
    'Kinds of change',
    'A change is `{ "kind", "agentGroupID", "after", "requestedBy"?, "reason"? }`; this page has what `after` may be. `svcctl change submit KIND` makes it from flags: [cli](cli.md#svcctl-change-submit). What becomes of a change: [deciding](../explanation/deciding.md).',
    table(
      ['kind', 'what it does', 'risk', 'an agent may ask'],
      kindNames.map((kind) => [`[${code(kind)}](#${kind})`, facts[kind].does, facts[kind].risk, isAgentKind(kind) ? 'yes' : '']),
    ),
    ...kindNames.map(sectionOf),
  )
