// Records of lists and calls, read back.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { type AgentGroupID, type CallRecord, isServiceError, type SessionID } from '@gatehouse/contracts'
import { openRecords, type Records } from '@gatehouse/journal'
import { queryRecords } from '../../src/records/query.ts'

const [one, two] = ['ses_aaaaaaaaaaaaa' as SessionID, 'ses_bbbbbbbbbbbbb' as SessionID]
const made: CallRecord[] = Array.from({ length: 60 }, (_, at) => ({
  id: `t-${at}`,
  time: new Date(Date.UTC(2026, 0, 1, 0, at)).toISOString(),
  session: at % 2 === 0 ? one : two,
  agentGroupID: at % 3 === 0 ? 'alpha' : 'beta',
  server: at % 5 === 0 ? '' : 'sample',
  ...(at % 4 !== 0 && { tool: 'echo' }),
  op: at % 4 === 0 ? 'list' : 'call',
  status: at % 7 === 0 ? 'refused' : 'ok',
  ...(at % 7 === 0 && { code: 'not-granted' }),
  bytes: at,
  duration: 1.5,
}))

let directory: string
let records: Records
before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gh-read-'))
  // Many small files: each page crosses some of them.
  records = await openRecords({ path: join(directory, 'calls.jsonl'), retention: { time: 365 * 24 * 60 * 60_000, maxFileSize: 1_000 } })
  for (const record of made) await records.append(record)
})
after(async () => {
  await records.close()
  await rm(directory, { recursive: true, force: true })
})

type Wanted = Omit<Parameters<typeof queryRecords>[1], 'limit'>

const pages = async (wanted: Wanted, limit: number): Promise<CallRecord[]> => {
  const items: CallRecord[] = []
  let cursor: string | undefined
  do {
    const page = await queryRecords(records, { ...wanted, limit, cursor })
    assert.ok(page.items.length <= limit)
    items.push(...page.items)
    cursor = page.nextCursor
  } while (cursor !== undefined)
  return items
}

test('reads all of them, the newest first, page by page over all files', async () => {
  for (const limit of [1, 7, 60, 200]) assert.deepEqual(await pages({}, limit), made.toReversed())
})

const filters: readonly (readonly [what: string, wanted: Wanted, fits: (record: CallRecord) => boolean])[] = [
  ['session', { session: two }, ({ session }) => session === two],
  ['group', { agentGroupID: 'alpha' as AgentGroupID }, ({ agentGroupID }) => agentGroupID === 'alpha'],
  ['server', { server: 'sample' }, ({ server }) => server === 'sample'],
  ['tool', { tool: 'echo' }, ({ tool }) => tool === 'echo'],
  ['operation', { op: 'list' }, ({ op }) => op === 'list'],
  ['status', { status: 'refused' }, ({ status }) => status === 'refused'],
  ['code', { code: 'not-granted' }, ({ code }) => code === 'not-granted'],
  ['what fits nothing', { tool: 'nothing' }, () => false],
  [
    'time, with its first moment and without its last',
    { since: '2026-01-01T00:10:00.000Z', until: '2026-01-01T00:20:00.000Z' },
    ({ bytes }) => bytes >= 10 && bytes < 20,
  ],
  [
    'several at once',
    { session: one, op: 'call', status: 'ok' },
    (each) => each.session === one && each.op === 'call' && each.status === 'ok',
  ],
  ['the groups that a token may see', { groups: ['beta' as AgentGroupID] }, ({ agentGroupID }) => agentGroupID === 'beta'],
  ['a group that a token may not see', { groups: ['beta' as AgentGroupID], agentGroupID: 'alpha' as AgentGroupID }, () => false],
]

for (const [what, wanted, fits] of filters)
  test(`filters by ${what}`, async () => {
    assert.deepEqual(await pages(wanted, 7), made.filter(fits).toReversed())
  })

test('a page is not disturbed by records that come meanwhile', async () => {
  const first = await queryRecords(records, { limit: 20 })
  await records.append({ ...made[0], id: 'later', time: '2026-01-02T00:00:00.000Z' })
  const rest = await queryRecords(records, { limit: 200, cursor: first.nextCursor })
  assert.deepEqual([...first.items, ...rest.items], made.toReversed())
})

test('refuses a cursor that it did not give', async () => {
  for (const cursor of ['x', 'MS4', Buffer.from('0.0').toString('base64url'), Buffer.from('1.-1').toString('base64url'), '../../etc'])
    await assert.rejects(queryRecords(records, { limit: 5, cursor }), (error) => isServiceError(error) && error.code === 'invalid')
})
