// Nothing that a person approves may be decoration: each field of each kind of change has a test that shows its effect where
// it acts. A new field without a row here fails, and so does a row whose test is gone.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { type GroupLimits, type Kind, kinds } from '../src/index.ts'

type Row = readonly [file: string, title: string]

const gateway = 'packages/gateway/test'
const runner = 'packages/runner/test'
const create: Row = [`${gateway}/kinds/round-trip.test.ts`, 'a new group begins with the standard tools and with nothing else']
const place: Row = [`${gateway}/channels/admit.test.ts`, 'an address that is wired leads to its group with its terms']
const removed: Row = [`${gateway}/channels/admit.test.ts`, 'an address that was removed leads nowhere']
const members: Row = [`${gateway}/channels/admit.test.ts`, 'with members only they are heard, on their own channel']
const engaged: Row = ['packages/channels/test/inbound/terms.test.ts', 'all, a mention or a pattern engages the agent']
const sessions: Row = ['packages/channels/test/inbound/terms.test.ts', 'one conversation for the place, one a thread or one a person']
const model: Row = [`${gateway}/models/authorize.test.ts`, 'only the approved model of the approved provider is allowed']
const launch: Row = [`${runner}/sessions/life.test.ts`, 'gives a sandbox the limits of its group']
const granted: Row = [`${gateway}/grants/authorize.test.ts`, 'a tool that the grant does not name']
const registered: Row = [`${gateway}/secrets/register.test.ts`, 'approved it stands in the catalog with its values']
const started: Row = [
  'packages/broker/test/upstream/stdio/streams.test.ts',
  'gives a local server the declared variables and a few of the host',
]

const oauth = 'packages/broker/test/oauth'
const sandboxLimits = `${runner}/sessions/limits.test.ts`
const stopped: Row = [sandboxLimits, 'a sandbox that reaches it is stopped, people are told why, and it is counted']
const callRates: Row = [`${gateway}/grants/call-rates.test.ts`, 'the others are told when to try again, and counted']
const budget = 'packages/model-proxy/test/budget/budget.test.ts'
const disks = `${runner}/groups/disks.test.ts`

/** What a test shows of a limit: that it holds, that whoever is concerned learns of it, and that the metrics tell the operator. */
interface LimitRows {
  readonly holds: readonly Row[]
  readonly told: Row
  readonly counted: Row
}

const limits: Readonly<Record<keyof GroupLimits, LimitRows>> = {
  modelTokensPerDay: {
    holds: [[budget, 'what a request took is counted, and the next one that does not fit is refused until the day is over']],
    told: [budget, 'assert.match(refused.text, /modelTokensPerDay/)'],
    counted: [budget, 'assert.equal(await limitReached(), before + 1)'],
  },
  callsPerMinute: {
    holds: [[`${gateway}/grants/call-rates.test.ts`, 'of 20 calls at once a group that may make 5 a minute is allowed 5']],
    told: ['packages/broker/test/calls/call.test.ts', 'tells an agent that reached its limit of calls when to try again'],
    counted: callRates,
  },
  memoryMiB: {
    holds: [launch, ['packages/engine/test/conformance.test.ts', 'reports an out-of-memory kill']],
    told: stopped,
    counted: [sandboxLimits, "['memoryMiB',"],
  },
  // Each driver that claims the wall is shown to have it, by the same proof that a unit makes at its start. It stops nothing.
  cpus: {
    holds: [launch, ['packages/engine/src/seal/prove.ts', 'small.cpus']],
    told: [sandboxLimits, 'a sandbox that wants more is slowed down and goes on, and the time is counted'],
    counted: [sandboxLimits, "count('sandbox_cpu_throttled_seconds_total')"],
  },
  processes: {
    holds: [launch, ['packages/engine/test/conformance.test.ts', 'reports an exit caused by the process limit']],
    told: stopped,
    counted: [sandboxLimits, "['processes',"],
  },
  workspaceMiB: {
    holds: [['packages/engine/test/quota/disk.test.ts', 'enforces its limits of bytes and files without affecting another group']],
    told: [disks, 'ends at its limit, which people are told'],
    counted: [disks, "count('group_limit_reached_total', 'workspaceMiB'), 1"],
  },
}

const ofLimits = Object.fromEntries(
  Object.entries(limits).map(([name, { holds, told, counted }]) => [`limits.${name}`, [...holds, told, counted]]),
)

const effects: Readonly<Record<Kind, Readonly<Record<string, readonly Row[]>>>> = {
  agent_create: {
    id: [create],
    name: [[`${runner}/socket/door.test.ts`, 'name']],
    agent: [[`${gateway}/models/authorize.test.ts`, 'agents that use a model are launched with a socket for it']],
    persona: [[`${runner}/sessions/life.test.ts`, 'is replaced at once by a changed group when it is quiet']],
    'model.provider': [model],
    'model.id': [model],
  },
  agent_remove: {},
  persona: { instructions: [[`${runner}/sessions/life.test.ts`, 'is replaced at once by a changed group when it is quiet']] },
  tools: { enabled: [['apps/agent/test/acts.test.ts', 'answer when they are on, and are refused when they are off']] },
  packages: {
    npm: [[`${runner}/packages/packages.test.ts`, 'that were approved work in a script, and nothing else of the registry is there']],
  },
  wiring: {
    channel: [place],
    address: [place],
    engage: [engaged],
    pattern: [engaged],
    session: [sessions],
    'remove.channel': [removed],
    'remove.address': [removed],
  },
  permissions: {
    'members.channel': [members],
    'members.user': [members],
    'model.provider': [model],
    'model.id': [model],
    ...ofLimits,
    providerTools: [['packages/model-proxy/test/powers.test.ts', 'needs ${power}']],
  },
  mounts: {
    'mounts.source': [[`${runner}/mounts/sight.test.ts`, 'mounts-wanted']],
    'mounts.target': [['packages/engine/test/conformance.test.ts', 'sees the files of its mounts']],
    'mounts.mode': [[`${runner}/sessions/life.test.ts`, 'mounts what the session may use and nothing else']],
  },
  mcp_access: {
    server: [granted],
    tools: [granted],
    expiresAt: [[`${gateway}/grants/authorize.test.ts`, 'const over = { expiresAt: at(-1) }']],
    maxCalls: [[`${gateway}/grants/calls.test.ts`, 'allows as many calls as the grant says']],
  },
  mcp_revoke: {
    server: [[`${gateway}/grants/authorize.test.ts`, "const revoked = { state: 'revoked' }"]],
    tools: [[`${gateway}/grants/calls.test.ts`, 'a new grant begins at zero, a narrowed one goes on']],
  },
  mcp_register: {
    name: [registered],
    transport: [registered],
    command: [registered],
    args: [registered],
    image: [[`${gateway}/catalog/images.test.ts`, 'a registered server is pinned when it is applied']],
    env: [registered, started],
    sharing: [[`${runner.replace('runner', 'broker')}/upstream/upstream-pool.test.ts`, 'session']],
    data: [[`${gateway}/catalog/images.test.ts`, 'volumes and data belong to what a server is']],
    url: [registered],
    headers: [registered],
    reach: [[`${gateway}/catalog/reach.test.ts`, 'what a person proposed is as it was approved']],
    'auth.type': [[`${oauth}/grants.test.ts`, 'where the entry asks for no login']],
    'auth.grant': [[`${oauth}/grants.test.ts`, 'logs in by itself with the credentials of its client']],
    'auth.clientID': [[`${oauth}/oidc-provider.test.ts`, 'logs in by itself with client credentials']],
    'auth.clientSecret': [[`${oauth}/oidc-provider.test.ts`, 'a client secret that the provider does not know is refused']],
    'auth.issuer': [[`${oauth}/attacks.test.ts`, 'a secret to the issuer of its entry alone']],
    'auth.scopes': [[`${oauth}/grants.test.ts`, 'asks for more at the next login where a tool wants more']],
  },
}

interface Node {
  readonly type: string
  readonly entries?: Readonly<Record<string, Node>>
  readonly options?: readonly Node[]
  readonly item?: Node
  readonly wrapped?: Node
}

/** The fields of a schema by their paths; a union has those of all its shapes. */
const fieldsOf = (node: Node, path: string): string[] => {
  const below = (name: string): string => (path === '' ? name : `${path}.${name}`)
  if (node.wrapped !== undefined) return fieldsOf(node.wrapped, path)
  if (node.entries !== undefined) return Object.entries(node.entries).flatMap(([name, entry]) => fieldsOf(entry, below(name)))
  if (node.options?.every(({ type }) => type !== undefined) === true) return node.options.flatMap((option) => fieldsOf(option, path))
  if (node.item !== undefined) return fieldsOf(node.item, path)
  return [path]
}

const root = join(import.meta.dirname, '../../..')

for (const [kind, { schema }] of Object.entries(kinds)) {
  const rows = effects[kind as Kind]
  test(`each field of ${kind} has a test of its effect`, async () => {
    const fields = [...new Set(fieldsOf(schema as unknown as Node, ''))].filter((field) => field !== '')
    assert.deepEqual(Object.keys(rows).toSorted(), fields.toSorted())
    for (const [field, checks] of Object.entries(rows)) {
      assert.ok(checks.length > 0, field)
      for (const [file, title] of checks)
        assert.ok((await readFile(join(root, file), 'utf8')).includes(title), `${field}: ${file}: ${title}`)
    }
  })
}
