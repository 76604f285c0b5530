// Kind `mcp_register`: a new tool server in the catalog. The evidence shows its command or URL and every value that it receives.
import {
  type After,
  type CatalogEntry,
  checkServerUrl,
  type Failure,
  mask,
  type ServerAuth,
  type ServerName,
  type Described,
} from '@gatehouse/contracts'
import { checkEntry, namesReference } from '../catalog/entry.ts'
import { mapSecretValues } from '../secrets.ts'
import { unitLocks } from '../state/lock.ts'
import { isRequestedByAgent, type ChangeContext } from '../state/unit-config.ts'
import { quote } from '../text.ts'
import { defineKind, type VerifyInput } from './kind.ts'

const references = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g

/** The host variables that a value references. */
const listReferences = (value: string): string[] => [...new Set([...value.matchAll(references)].map(([, name]) => name ?? ''))]

const describeValue = (as: string, value: string, to: string): string[] => {
  const names = listReferences(value)
  if (names.length > 0) return names.map((name) => `sends the value of ${name} to ${to}`)
  return [`sends a fixed value as ${quote(as)} to ${to}`]
}

const describeValues = (values: Readonly<Record<string, string>>, to: string): string[] =>
  Object.entries(values).flatMap(([as, value]) => describeValue(as, value, to))

/** The host of a URL. A URL that the verifier refuses may not have one. */
const readHost = (url: string): string => (checkServerUrl(url) === null ? new URL(url).host : 'the server')

/** Who logs in where, for which scopes, and who receives the token. */
const describeLogin = ({ grant, scopes, clientSecret, issuer }: ServerAuth, to: string): string[] => {
  const from = issuer === undefined ? `the authorization server that ${to} names` : readHost(issuer)
  const asks = scopes === undefined ? 'whatever scopes the server wants' : `the scopes ${scopes.map(quote).join(', ')} at most`
  const secret = clientSecret === undefined ? [] : describeValues({ secret: clientSecret }, from)
  const who = grant === 'client_credentials' ? 'logs in by itself' : 'lets an admin log in'
  return [...secret, `${who} at ${from}, asks for ${asks}, and sends the token to ${to}`]
}

/** Evidence for a new tool server: its entry, and one sentence for each value that it receives. Values are not shown. */
const describeEntry = (server: ServerName, entry: CatalogEntry): Described => {
  const sharing = entry.sharing === undefined ? {} : { sharing: entry.sharing }
  const common = { status: 'described' as const, server, transport: entry.transport, ...sharing }
  const reach = entry.transport === 'stdio' || entry.reach === undefined ? {} : { reach: entry.reach }
  if (entry.transport === 'http') {
    const to = readHost(entry.url)
    const login = entry.auth === undefined ? [] : describeLogin(entry.auth, to)
    return { ...common, url: entry.url, ...reach, sends: [...describeValues(entry.headers, to), ...login] }
  }
  const image = entry.image === undefined || entry.image === '' ? {} : { image: entry.image }
  return {
    ...common,
    command: entry.command,
    args: entry.args,
    ...image,
    sends: describeValues(entry.env, `the program ${quote(entry.command)}`),
  }
}

type Register = After<'mcp_register'>

const toEntry = ({ name: _name, ...entry }: Register): CatalogEntry => entry

const readValues = (after: Register): Readonly<Record<string, string>> => (after.transport === 'http' ? after.headers : after.env)

/** Names only the group of the change: readers of the change may not be allowed to see other groups. */
const grantedFailure = ({ name }: Register, { granted, grants, agentGroupID }: ChangeContext): Failure | undefined => {
  if (!granted.has(name)) return undefined
  const own = grants.some(({ server, state }) => server === name && state !== 'revoked')
  const holders = own ? `${agentGroupID} and possibly other groups` : 'other groups'
  return {
    rule: 'name-granted',
    reason: `${holders} still hold grants for a tool server named ${name}: revoke them first, or choose another name`,
  }
}

const nameFailure = (after: Register, context: ChangeContext): Failure | undefined => {
  const { servers } = context
  if (servers === null) return { rule: 'mcp-disabled', reason: 'this unit has no tool servers: start it with --mcp-catalog' }
  return servers.has(after.name)
    ? {
        rule: 'server-name-in-use',
        reason: `the name ${after.name} is already in use: choose another, or change that server in the catalog`,
      }
    : grantedFailure(after, context)
}

/** The reason never repeats a value, which may be a secret. */
const entryFailure = (entry: CatalogEntry): Failure | undefined => {
  const issue = checkEntry(entry)[0]
  if (issue === undefined) return undefined
  const misplaced = namesReference(entry) && issue.pointer !== '/url'
  const rule = issue.pointer === '/url' ? 'url-refused' : misplaced ? 'reference-misplaced' : 'value-unusable'
  return { rule, reason: `/after${issue.pointer}: ${issue.detail}: correct it` }
}

const maskFailure = (after: Register): Failure | undefined => {
  const name = Object.entries(readValues(after)).find(([, value]) => value === mask)?.[0]
  return name === undefined
    ? undefined
    : { rule: 'value-masked', reason: `the value of ${quote(name)} is the mask that replaces secret values: enter the value itself` }
}

/** An agent may request a server, but never decide which values of the host the server receives. */
const agentFailure = (after: Register): Failure | undefined => {
  if (JSON.stringify(after).includes('${'))
    return {
      rule: 'agent-names-variable',
      reason: 'an agent cannot use a ${NAME} reference: leave it out, and the approver adds it to the catalog',
    }
  const [name] = Object.keys(readValues(after))
  return name === undefined
    ? undefined
    : {
        rule: 'agent-gives-value',
        reason: `an agent cannot set a variable or header (got ${quote(name)}): leave it out, and the approver adds it to the catalog`,
      }
}

const verify = (after: Register, { context }: VerifyInput): Failure | undefined =>
  nameFailure(after, context) ??
  (isRequestedByAgent(context) ? agentFailure(after) : undefined) ??
  entryFailure(toEntry(after)) ??
  maskFailure(after)

export const mcpRegister = defineKind('mcp_register', {
  target: 'existing',
  needsRelaunch: false,
  serializedBy: unitLocks.catalog,
  narrowsSandboxes: 'never',
  appliesUnderFreeze: 'never',
  server: 'name',
  secrets: mapSecretValues,
  subject: ({ name }) => name,
  slice: () => null,
  verify,
  requiredEvidence: (after) => ({ from: 'change', evidence: describeEntry(after.name, toEntry(after)) }),
  risk: () => 'high',
  why: ({ transport }) => [
    transport === 'http'
      ? 'Agents that are granted this server send data to a host outside this unit.'
      : 'The unit runs this program on the host for every agent that is granted the server.',
  ],
  describe: (after) =>
    after.transport === 'http'
      ? `Adds the tool server ${after.name} at ${quote(after.url)} to the catalog`
      : `Adds the tool server ${after.name}, which runs ${quote(after.command)}, to the catalog`,
  apply: (after) => ({ type: 'entry', name: after.name }),
})
