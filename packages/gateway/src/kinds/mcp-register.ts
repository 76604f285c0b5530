// A new tool server in the catalog. What it runs or where it lies, and every value that it is given, stands in the evidence.
import { type After, type CatalogEntry, checkServerUrl, type Failure, mask, type ServerName, type Described } from '@gatehouse/contracts'
import { checkEntry, namesReference } from '../catalog/entry.ts'
import { throughValues } from '../secrets.ts'
import { unitLocks } from '../state/lock.ts'
import { askedByAgent, type ChangeContext } from '../state/unit-config.ts'
import { quote } from '../text.ts'
import { defineKind, type VerifyInput } from './kind.ts'

/** Evidence for a new tool server: what exactly it is, and one sentence for each value that it is given. No value is shown. */
const references = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g

/** Variables of the host that the value names. */
const namesIn = (value: string): string[] => [...new Set([...value.matchAll(references)].map(([, name]) => name ?? ''))]

const sentence = (as: string, value: string, to: string): string[] => {
  const names = namesIn(value)
  if (names.length > 0) return names.map((name) => `sends the value of ${name} to ${to}`)
  return [`sends a value of its own as ${quote(as)} to ${to}`]
}

const sends = (values: Readonly<Record<string, string>>, to: string): string[] =>
  Object.entries(values).flatMap(([as, value]) => sentence(as, value, to))

/** A url that the verifier refuses names no host. */
const hostOf = (url: string): string => (checkServerUrl(url) === null ? new URL(url).host : 'the server')

const describeEntry = (server: ServerName, entry: CatalogEntry): Described => {
  const sharing = entry.sharing === undefined ? {} : { sharing: entry.sharing }
  const common = { status: 'described' as const, server, transport: entry.transport, ...sharing }
  const reach = entry.transport === 'stdio' || entry.reach === undefined ? {} : { reach: entry.reach }
  if (entry.transport === 'http') return { ...common, url: entry.url, ...reach, sends: sends(entry.headers, hostOf(entry.url)) }
  const image = entry.image === undefined || entry.image === '' ? {} : { image: entry.image }
  return { ...common, command: entry.command, args: entry.args, ...image, sends: sends(entry.env, `the program ${quote(entry.command)}`) }
}

type Register = After<'mcp_register'>

const entryOf = ({ name: _name, ...entry }: Register): CatalogEntry => entry

const valuesOf = (after: Register): Readonly<Record<string, string>> => (after.transport === 'http' ? after.headers : after.env)

/** It names no group but that of the change, which whoever sees the change sees too. */
const grantedFailure = ({ name }: Register, { granted, grants, agentGroupID }: ChangeContext): Failure | undefined => {
  if (!granted.has(name)) return undefined
  const own = grants.some(({ server, state }) => server === name && state !== 'revoked')
  const holders = own ? `${agentGroupID} and perhaps other groups` : 'other groups'
  return {
    rule: 'name-granted',
    reason: `expected a name that nobody was granted, got ${name}, for which ${holders} still hold grants: revoke every grant for it first, or choose another name`,
  }
}

const placeFailure = (after: Register, context: ChangeContext): Failure | undefined => {
  const { servers } = context
  if (servers === null) return { rule: 'mcp-disabled', reason: 'this unit has no tool servers: start it with --mcp-catalog' }
  return servers.has(after.name)
    ? {
        rule: 'server-name-in-use',
        reason: `expected a name that no tool server has, got ${after.name}: choose another, or change that server in the catalog`,
      }
    : grantedFailure(after, context)
}

/** Never repeats a value. */
const entryFailure = (entry: CatalogEntry): Failure | undefined => {
  const issue = checkEntry(entry)[0]
  if (issue === undefined) return undefined
  const misplaced = namesReference(entry) && issue.pointer !== '/url'
  const rule = issue.pointer === '/url' ? 'url-refused' : misplaced ? 'reference-misplaced' : 'value-unusable'
  return { rule, reason: `/after${issue.pointer}: ${issue.detail}: correct it` }
}

const maskFailure = (after: Register): Failure | undefined => {
  const name = Object.entries(valuesOf(after)).find(([, value]) => value === mask)?.[0]
  return name === undefined
    ? undefined
    : { rule: 'value-masked', reason: `expected the value of ${quote(name)}, got the mask that stands for one: enter the value itself` }
}

/** An agent may say which server it wants, never what of the host that server is told. */
const agentFailure = (after: Register): Failure | undefined => {
  if (JSON.stringify(after).includes('${'))
    return {
      rule: 'agent-names-variable',
      reason: 'expected no ${NAME} in what an agent asks for, got one: leave it out, the approver adds it to the catalog',
    }
  const [name] = Object.keys(valuesOf(after))
  return name === undefined
    ? undefined
    : {
        rule: 'agent-gives-value',
        reason: `expected no values of variables or headers from an agent, got ${quote(name)}: leave it out, the approver adds it to the catalog`,
      }
}

const verify = (after: Register, { context }: VerifyInput): Failure | undefined =>
  placeFailure(after, context) ??
  (askedByAgent(context) ? agentFailure(after) : undefined) ??
  entryFailure(entryOf(after)) ??
  maskFailure(after)

export const mcpRegister = defineKind('mcp_register', {
  target: 'existing',
  needsRelaunch: false,
  serializedBy: unitLocks.catalog,
  narrowsSandboxes: 'never',
  appliesUnderFreeze: 'never',
  server: 'name',
  secrets: throughValues,
  subject: ({ name }) => name,
  slice: () => null,
  verify,
  requiredEvidence: (after) => ({ from: 'change', evidence: describeEntry(after.name, entryOf(after)) }),
  risk: () => 'high',
  why: ({ transport }) => [
    transport === 'http'
      ? 'Whoever is granted this server sends what it knows to a place outside of this unit.'
      : 'The unit starts this program on the host for whoever is granted the server.',
  ],
  describe: (after) =>
    after.transport === 'http'
      ? `Adds the tool server ${after.name} at ${quote(after.url)} to the catalog`
      : `Adds the tool server ${after.name}, which runs ${quote(after.command)}, to the catalog`,
  apply: (after) => ({ type: 'entry', name: after.name }),
})
