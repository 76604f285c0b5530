// The verdict over one call: a table of cases, and that the table would see any check weakened.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type CatalogEntry,
  Digest,
  type Freeze,
  type Grant,
  type Pinning,
  type Session,
  type ToolDefinition,
  type Verdict,
} from '@gatehouse/contracts'
import { createClock, createMetrics, definitionDigest } from '@gatehouse/kernel'
import * as v from 'valibot'
import { authorize, type AuthorizeDeps, listLiveGrants, buildSubject } from '../../src/grants/authorize.ts'
import { checks } from '../../src/grants/checks.ts'
import { createTofuPins } from '../../src/grants/tofu.ts'
import { type Catalog, digestOfEntry } from '../../src/state/catalog.ts'
import { createFreezes } from '../../src/state/freezes.ts'
import { toRow } from '../../src/state/grants.ts'
import { createLastCalls } from '../../src/state/sessions.ts'
import { createToolDefinitions } from '../../src/state/tool-definitions.ts'
import { group } from '../fixtures/people.ts'
import { server } from '../fixtures/tools.ts'

const now = Date.UTC(2026, 10, 21)
const at = (seconds: number): string => new Date(now + seconds * 1000).toISOString()
const entry: CatalogEntry = { transport: 'stdio', command: '/bin/cat', args: [], env: {} }
const other: CatalogEntry = { ...entry, command: '/bin/other' }

const tool = (name: string, description = 'as it was'): ToolDefinition => ({ name, description, inputSchema: { type: 'object' } })
const pinsFor = (...tools: ToolDefinition[]) =>
  Object.fromEntries(tools.map((each) => [each.name, v.parse(Digest, definitionDigest(each))]))

interface Case {
  readonly grant?: Partial<Grant> | null
  readonly calls?: number
  readonly frozen?: 'unit' | 'group' | 'another group'
  readonly pinning?: Pinning
  /** What the server declared last; null where it was not listed. */
  readonly declared?: readonly ToolDefinition[] | null
  /** The entry in the catalog now; null where it has none. */
  readonly present?: CatalogEntry | null
  readonly tool?: string
  readonly session?: string
  /** Milliseconds until the group may call once more. */
  readonly wait?: number
}

const base = {
  agentGroupID: 'a',
  server: 'sample',
  tools: ['echo'],
  entryDigest: digestOfEntry(entry),
  pins: pinsFor(tool('echo')),
  pinned: 'approval',
  changeID: 'chg_20261121000000.000000000',
  grantedAt: at(-60),
  state: 'active',
}

const depsOf = (given: Case): { deps: AuthorizeDeps; counted: () => number } => {
  const declared = createToolDefinitions()
  const present = given.present === undefined ? entry : given.present
  const tools = given.declared === undefined ? [tool('echo')] : given.declared
  if (tools !== null && present !== null)
    declared.keep({ server: server('sample'), entryDigest: digestOfEntry(present), at: at(-30), tools: [...tools] })
  const freezes = createFreezes()
  const freeze = { reason: 'a test', by: 'alice', at: at(-10) } satisfies Freeze
  if (given.frozen === 'unit') freezes.set(freeze)
  if (given.frozen === 'group') freezes.set({ ...freeze, agentGroupID: group('a') })
  if (given.frozen === 'another group') freezes.set({ ...freeze, agentGroupID: group('b') })
  const row = given.grant === null ? undefined : toRow({ ...base, ...given.grant } as Grant, given.wait === undefined ? undefined : 5)
  const grants = new Map([['a', new Map(row === undefined ? [] : [['sample', row]])]])
  let counted = given.calls ?? 0
  const deps: AuthorizeDeps = {
    boot: { pinning: given.pinning ?? 'refuse' },
    catalog: { item: () => (present === null ? undefined : { digest: digestOfEntry(present) }) } as unknown as Catalog,
    table: { now: () => grants, current: async () => grants, rebuild: async () => undefined, during: (act) => act() },
    counts: {
      of: () => counted,
      add: () => void (counted += 1),
      load: async () => undefined,
      flush: async () => undefined,
    },
    rates: { wait: () => given.wait ?? 0, add: () => undefined, forget: () => undefined },
    metrics: createMetrics('gateway'),
    declared,
    tofuPins: createTofuPins(given.pinning ?? 'refuse'),
    freezes,
    clock: createClock(() => now),
    lastCalls: createLastCalls(() => now),
    sessions: { find: (id: string) => (id === 'known' ? ({ agentGroupID: 'a' } as Session) : undefined) } as AuthorizeDeps['sessions'],
  }
  return { deps, counted: () => counted }
}

const all = { tools: [], pins: pinsFor(tool('echo')) }
const changed = [tool('echo', 'now sends it away')]
const narrowed = { pins: pinsFor(tool('echo'), tool('wipe')) }
const revoked = { state: 'revoked' } as const
const suspended = { state: 'suspended' } as const
const over = { expiresAt: at(-1) }
const spent = { grant: { maxCalls: 3 }, calls: 3 }
const unpinned = { pins: {}, pinned: 'none' } as const

type Outcome = 'pinned' | 'any' | 'not-granted' | 'revoked' | 'frozen' | 'definition-changed' | 'rate-limited'

const cases: readonly [what: string, given: Case, outcome: Outcome][] = [
  ['a named tool as it was approved', {}, 'pinned'],
  ['a group within its calls per minute', { wait: 0 }, 'pinned'],
  ['a group that has made its calls of the minute', { wait: 1 }, 'rate-limited'],
  ['a group that has made its calls of the minute, and a changed tool', { wait: 1, declared: changed }, 'definition-changed'],
  ['a session that is not open', { session: 'unknown' }, 'not-granted'],
  ['no grant', { grant: null }, 'not-granted'],
  ['a tool that the grant does not name', { tool: 'wipe' }, 'not-granted'],
  ['a tool named like a member of every object', { tool: 'constructor', grant: all }, 'any'],
  ['an empty list and a pinned tool', { grant: all }, 'pinned'],
  ['a revoked grant', { grant: revoked }, 'revoked'],
  ['a suspended grant', { grant: suspended }, 'revoked'],
  ['a revoked grant and a tool that it never named', { grant: revoked, tool: 'wipe' }, 'revoked'],
  ['a grant that expired', { grant: over }, 'revoked'],
  ['a grant that expires this moment', { grant: { expiresAt: at(0) } }, 'revoked'],
  ['a grant that expires soon', { grant: { expiresAt: at(1) } }, 'pinned'],
  ['a grant whose calls are used up', spent, 'revoked'],
  ['a grant with one call left', { ...spent, calls: 2 }, 'pinned'],
  ['a grant that was used beyond its calls', { ...spent, calls: 7 }, 'revoked'],
  ['an expired grant and a tool that it does not name', { grant: over, tool: 'wipe' }, 'revoked'],
  ['a used-up grant and a tool that it does not name', { ...spent, tool: 'wipe' }, 'revoked'],
  ['a frozen unit', { frozen: 'unit' }, 'frozen'],
  ['a frozen group', { frozen: 'group' }, 'frozen'],
  ['another group that is frozen', { frozen: 'another group' }, 'pinned'],
  ['a frozen unit and no grant', { frozen: 'unit', grant: null }, 'frozen'],
  ['a frozen unit and a revoked grant', { frozen: 'unit', grant: revoked }, 'frozen'],
  ['a frozen unit and a changed tool', { frozen: 'unit', declared: changed }, 'frozen'],
  ['refuse: a changed tool', { declared: changed }, 'definition-changed'],
  ['refuse: a changed tool of a revoked grant', { declared: changed, grant: revoked }, 'revoked'],
  ['refuse: a changed tool of an expired grant', { declared: changed, grant: over }, 'revoked'],
  ['refuse: a changed tool of a used-up grant', { declared: changed, ...spent }, 'revoked'],
  [
    'refuse: a changed tool that the grant does not name any more',
    { declared: [tool('wipe', 'x')], tool: 'wipe', grant: narrowed },
    'not-granted',
  ],
  ['refuse: a changed tool under an empty list', { declared: changed, grant: all }, 'definition-changed'],
  ['refuse: a new tool under an empty list', { declared: [tool('new')], tool: 'new', grant: all }, 'any'],
  ['refuse: a tool that is gone', { declared: [] }, 'pinned'],
  ['refuse: a server that was not listed', { declared: null }, 'pinned'],
  ['refuse: before the first listing', { grant: unpinned, declared: null }, 'any'],
  ['refuse: another entry with the same definitions', { present: other }, 'pinned'],
  ['refuse: another entry with other definitions', { present: other, declared: changed }, 'definition-changed'],
  ['refuse: an entry that was taken away', { present: null }, 'pinned'],
  [
    'refuse: a named tool that was not there at the approval',
    { grant: { tools: ['echo', 'late'] }, tool: 'late', declared: [tool('late')] },
    'any',
  ],
  ['strict: a tool as it was approved', { pinning: 'strict' }, 'pinned'],
  ['strict: a tool that the grant does not name', { pinning: 'strict', declared: [tool('wipe')], tool: 'wipe' }, 'not-granted'],
  ['strict: a changed tool', { pinning: 'strict', declared: changed }, 'definition-changed'],
  ['strict: a new tool under an empty list', { pinning: 'strict', declared: [tool('new')], tool: 'new', grant: all }, 'definition-changed'],
  [
    'strict: a new tool that the gateway has not seen',
    { pinning: 'strict', declared: null, tool: 'new', grant: all },
    'definition-changed',
  ],
  ['strict: before the first listing', { pinning: 'strict', grant: unpinned, declared: null }, 'any'],
  ['strict: another entry, before its line is written', { pinning: 'strict', present: other }, 'revoked'],
  ['strict: an entry that was taken away', { pinning: 'strict', present: null }, 'pinned'],
  ['strict: an entry that nobody knows the old one of', { pinning: 'strict', present: other, grant: { entryDigest: null } }, 'pinned'],
  ['warn: a changed tool', { pinning: 'warn', declared: changed }, 'any'],
  ['warn: a new tool under an empty list', { pinning: 'warn', declared: [tool('new')], tool: 'new', grant: all }, 'any'],
  ['warn: a suspended grant', { pinning: 'warn', grant: suspended }, 'revoked'],
  ['warn: a revoked grant and a changed tool', { pinning: 'warn', grant: revoked, declared: changed }, 'revoked'],
]

const asked = ({ session = 'known', tool: name = 'echo' }: Case) => ({ session, server: 'sample', tool: name })

const outcomeOf = (verdict: Verdict): Outcome => {
  if (!verdict.allowed) return verdict.code
  return verdict.pin === undefined ? 'any' : 'pinned'
}

for (const [what, given, outcome] of cases) {
  test(`${what}: ${outcome}`, async () => {
    const { deps, counted } = depsOf(given)
    const before = counted()
    const verdict = authorize(deps, asked(given))
    assert.ok(!(verdict instanceof Promise), 'it waits for nothing')
    assert.equal(outcomeOf(verdict), outcome)
    assert.equal(counted() - before, verdict.allowed ? 1 : 0)
    if (verdict.allowed && verdict.pin !== undefined) assert.equal(verdict.pin, pinsFor(tool('echo'))['echo'])
  })
}

const judgedBy = async (some: typeof checks, given: Case): Promise<string> => {
  const { deps } = depsOf(given)
  const subject = buildSubject(deps, await deps.table.current(), { agentGroupID: group('a'), server: 'sample', tool: asked(given).tool })
  return some.find((check) => !check.passes(subject))?.code ?? 'allowed'
}

const known = cases.filter(([, { session }]) => session === undefined)
const caught = async (weakened: typeof checks): Promise<number> => {
  const found = await Promise.all(known.map(async ([, given]) => (await judgedBy(weakened, given)) !== (await judgedBy(checks, given))))
  return found.filter(Boolean).length
}

for (const left of checks) {
  test(`the table sees it when the check of ${left.name} is left out`, async () => {
    assert.ok((await caught(checks.filter((check) => check !== left))) > 0)
  })
}

test('the table sees it when two checks that answer differently are exchanged', async () => {
  for (const [index, check] of checks.entries()) {
    const next = checks[index + 1]
    if (next === undefined || next.code === check.code) continue
    const exchanged = checks.with(index, next).with(index + 1, check)
    // No call can miss a grant and name a tool of it, and no missing grant is revoked.
    if (check.name === 'grant') continue
    assert.ok((await caught(exchanged)) > 0, `${check.name} and ${next.name}`)
  }
})

test('waits for the table while it is rebuilt, and answers by what is true then', async () => {
  const { deps } = depsOf({})
  const rebuilt = Promise.withResolvers<Awaited<ReturnType<typeof deps.table.current>>>()
  const waiting = authorize({ ...deps, table: { ...deps.table, now: () => undefined, current: () => rebuilt.promise } }, asked({}))
  assert.ok(waiting instanceof Promise)
  rebuilt.resolve(new Map())
  assert.deepEqual(await waiting, { allowed: false, agentGroupID: 'a', code: 'not-granted' })
})

const shown: readonly [what: string, given: Case, tools: readonly unknown[]][] = [
  ['a grant with its pins', {}, [{ server: 'sample', tools: ['echo'], pins: base.pins }]],
  ['a grant without pins before the first listing', { grant: unpinned }, [{ server: 'sample', tools: ['echo'] }]],
  ['a grant without calls left, for what still runs', spent, [{ server: 'sample', tools: ['echo'], pins: base.pins, exhausted: true }]],
  ['no revoked grant', { grant: revoked }, []],
  ['no suspended grant', { grant: suspended }, []],
  ['no expired grant', { grant: over }, []],
  ['no grant of another server under strict', { pinning: 'strict', present: other }, []],
]

for (const [what, given, grants] of shown) {
  test(`the list of a session has ${what}`, async () => {
    const { deps } = depsOf(given)
    assert.deepEqual(await listLiveGrants(deps, 'known'), { agentGroupID: 'a', frozen: false, pinning: given.pinning ?? 'refuse', grants })
  })
}

test('the list of a session says that it is frozen, and that of no session is empty', async () => {
  assert.equal((await listLiveGrants(depsOf({ frozen: 'group' }).deps, 'known')).frozen, true)
  assert.deepEqual(await listLiveGrants(depsOf({}).deps, 'unknown'), { agentGroupID: null, frozen: false, pinning: 'refuse', grants: [] })
})
