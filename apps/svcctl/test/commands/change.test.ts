// svcctl change: what is asked of the unit and what is printed, in a pipe and at a terminal.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { Change, SubmitAnswer } from '@gatehouse/contracts'
import * as v from 'valibot'
import { change, changeView } from '../contents.ts'
import { type FakeUnit, startUnit } from '../fake-unit.ts'
import { type RunOptions, svcctl, svcctlAtTerminal, type TerminalOptions } from '../svcctl.ts'

suite('svcctl change', () => {
  let unit: FakeUnit
  let directory: string
  const options = (input = ''): RunOptions => ({ env: { SERVICE_API_URL: unit.address }, input })
  const typing = (keys: string): TerminalOptions => ({ env: { SERVICE_API_URL: unit.address }, typed: [['[y/N] ', keys]] })
  const lastBody = (): unknown => unit.asked.findLast((asked) => asked.body !== undefined)?.body

  before(async () => {
    unit = await startUnit()
    directory = mkdtempSync(join(tmpdir(), 'svcctl-'))
  })
  after(async () => {
    rmSync(directory, { recursive: true })
    await unit.close()
  })

  test('submit prints only the id, names the requester, and warns of what a grant loses', async () => {
    const ended = await svcctl(
      [
        'change',
        'submit',
        'mcp_access',
        '--group',
        'dev-agent',
        '--server',
        'sample',
        '--tool',
        'echo',
        '--as',
        'alice',
        '--reason',
        'why',
      ],
      options(),
    )
    const stderr = 'It replaces the present grant: dev-agent loses add of sample.\n'
    assert.deepEqual(ended, { code: 0, stdout: `${change.id}\n`, stderr })
    assert.deepEqual(lastBody(), {
      kind: 'mcp_access',
      agentGroupID: 'dev-agent',
      requestedBy: 'cli:alice',
      after: { server: 'sample', tools: ['echo'] },
      reason: 'why',
    })
  })

  test('submit takes the state from an argument, a file and standard input', async () => {
    const state = { instructions: 'Be brief.' }
    const file = join(directory, 'after.json')
    writeFileSync(file, JSON.stringify(state))
    const submit = ['change', 'submit', 'persona', '--group', 'dev-agent']
    for (const [flags, input] of [
      [['--after', JSON.stringify(state)]],
      [['--file', file]],
      [['--file', '-'], JSON.stringify(state)],
    ] as const) {
      assert.equal((await svcctl([...submit, ...flags], options(input))).code, 0)
      assert.deepEqual((lastBody() as { after: unknown }).after, state)
    }
    assert.match((lastBody() as { requestedBy: string }).requestedBy, /^cli:.+/)
  })

  test('submit refuses what is no JSON before it asks the unit', async () => {
    const asked = unit.asked.length
    const ended = await svcctl(['change', 'submit', 'persona', '--group', 'dev-agent', '--after', '{'], options())
    assert.equal(ended.code, 2)
    assert.match(ended.stderr, /^Error: expected JSON in --after/)
    assert.equal(unit.asked.length, asked)
  })

  test('submit --json gives the answer of the unit', async () => {
    const ended = await svcctl(['change', 'submit', 'persona', '--group', 'dev-agent', '--text', 'x', '--json'], options())
    assert.equal(v.parse(SubmitAnswer, JSON.parse(ended.stdout)).id, change.id)
  })

  test('pending is tab-separated without a header in a pipe', async () => {
    const ended = await svcctl(['change', 'pending'], options())
    assert.deepEqual(ended, {
      code: 0,
      stdout: `${change.id}\tmcp_access\tdev-agent\tcli:alice\t${change.createdAt}\tmedium\t-\t${change.summary}\n`,
      stderr: '',
    })
  })

  test('pending has the columns that were asked for at a terminal', async () => {
    const [header = '', row = ''] = (await svcctlAtTerminal(['change', 'pending'], options())).stdout.split('\n')
    assert.deepEqual(header.trim().split(/\s+/).slice(0, 7), ['ID', 'KIND', 'GROUP', 'REQUESTED-BY', 'AGE', 'RISK', 'EXPIRES'])
    assert.match(row, /^chg_20260102030405 +mcp_access +dev-agent +cli:alice +\d+d +\S*medium/)
  })

  test('pending and history give lists of changes as JSON', async () => {
    for (const list of ['pending', 'history']) {
      const ended = await svcctl(['change', list, '--json'], options())
      assert.equal(v.parse(v.array(Change), JSON.parse(ended.stdout)).length, 1)
    }
  })

  test('show says what changes, why the risk is what it is, who may decide, and what to type next', async () => {
    const { stdout } = await svcctl(['change', 'show', change.id], options())
    assert.match(stdout, /Why medium risk\n {2}- it deletes files\n/)
    assert.match(stdout, /Changes\n {2}tools: add → echo\n/)
    assert.match(
      stdout,
      /1 added, 1 removed, 0 changed, 1 unchanged\n {2}\+ server-tool sample__echo {2}\[DESTRUCTIVE\]\n {2}- server-tool sample__add\n/,
    )
    assert.match(stdout, /approve by bob \(authenticated as admin\)/)
    assert.match(
      stdout,
      /1 approval needed, 0 given, 1 missing\n {2}who may approve: the roles approver and admin, including admin, who requested it\n/,
    )
    assert.match(stdout, new RegExp(`Next\\n {2}svcctl change approve ${change.id} --by \\S+\\n`))
    assert.match(stdout, /\\u\{202e\}gnp\.exe\\u\{200b\}/)
    assert.doesNotMatch(stdout, /[\u001b\u202e\u200b\u009b]/)
  })

  test('approve prints the state and asks nothing in a pipe', async () => {
    const ended = await svcctl(['change', 'approve', change.id, '--by', 'bob'], options('n\n'))
    assert.deepEqual(ended, { code: 0, stdout: 'applied\n', stderr: '' })
    assert.deepEqual(lastBody(), { outcome: 'approve', decidedBy: 'bob' })
  })

  test('approve sends the digest that it was given, and reject a reason', async () => {
    const digest = 'cd'.repeat(32)
    await svcctl(['change', 'approve', change.id, '--by', 'bob', '--digest', digest], options())
    assert.deepEqual(lastBody(), { outcome: 'approve', decidedBy: 'bob', digest })
    const ended = await svcctl(['change', 'reject', change.id, '--by', 'bob', '--reason', 'no'], options())
    assert.equal(ended.stdout, 'rejected\n')
    assert.deepEqual(lastBody(), { outcome: 'reject', decidedBy: 'bob', reason: 'no' })
  })

  test('approve shows the change at a terminal, and sends the digest of what it showed', async () => {
    const { stdout, code } = await svcctlAtTerminal(['change', 'approve', change.id, '--by', 'carol'], typing('y\r'))
    assert.equal(code, 0)
    assert.match(stdout, /tools: .*add.* → .*echo.*Approve chg_.*applied/s)
    assert.deepEqual(lastBody(), { outcome: 'approve', decidedBy: 'carol', digest: change.digest })
  })

  test('approve decides nothing when the answer is not yes', async () => {
    const asked = unit.asked.filter(({ method }) => method === 'POST').length
    const { stdout, code } = await svcctlAtTerminal(['change', 'approve', change.id, '--by', 'carol'], typing('\r'))
    assert.equal(code, 5)
    assert.match(stdout, /not approved/)
    assert.equal(unit.asked.filter(({ method }) => method === 'POST').length, asked)
  })

  test('approve of a high risk asks for the name of the group', async () => {
    await using risky = await startUnit({ answers: { [`GET /v1/changes/${change.id}`]: { ...changeView, risk: 'high' } } })
    const answer = (keys: string): TerminalOptions => ({
      env: { SERVICE_API_URL: risky.address },
      typed: [['to approve (dev-agent): ', keys]],
    })
    const yes = await svcctlAtTerminal(['change', 'approve', change.id, '--by', 'carol'], answer('y\r'))
    assert.equal(yes.code, 5)
    assert.match(yes.stdout, /not approved/)
    const named = await svcctlAtTerminal(['change', 'approve', change.id, '--by', 'carol'], answer('dev-agent\r'))
    assert.equal(named.code, 0)
    assert.equal(risky.asked.filter(({ method }) => method === 'POST').length, 1)
  })

  test('approve and reject without an id let a person choose, and refuse in a pipe', async () => {
    const chosen = await svcctlAtTerminal(['change', 'reject', '--by', 'carol'], {
      env: { SERVICE_API_URL: unit.address },
      typed: [['Which change? [1] ', '1\r']],
    })
    assert.equal(chosen.code, 0)
    assert.match(chosen.stdout, /^# +ID +KIND.*\n1 +chg_20260102030405/m)
    assert.deepEqual(lastBody(), { outcome: 'reject', decidedBy: 'carol' })
    const piped = await svcctl(['change', 'approve', '--by', 'carol'], options())
    assert.equal(piped.code, 2)
    assert.match(piped.stderr, /no change given/)
  })

  test('the audit log says of --yes that nobody looked', async () => {
    await svcctl(['change', 'approve', change.id, '--by', 'bob', '--yes', '--reason', 'as agreed'], options())
    assert.deepEqual(lastBody(), { outcome: 'approve', decidedBy: 'bob', reason: 'as agreed; approved with --yes, not shown' })
  })

  test('approve needs to know by whom', async () => {
    const ended = await svcctl(['change', 'approve', change.id], options())
    assert.equal(ended.code, 2)
    assert.match(ended.stderr, /missing required flag: --by/)
  })
})

test('approve of a change that cannot be applied ends with 5 and says why', async () => {
  const failed = { ...change, state: 'apply_failed', failure: { rule: 'apply', reason: 'the disk is full' } }
  await using unit = await startUnit({ answers: { [`POST /v1/changes/${change.id}/decision`]: failed } })
  const ended = await svcctl(['change', 'approve', change.id, '--by', 'bob'], { env: { SERVICE_API_URL: unit.address } })
  assert.equal(ended.code, 5)
  assert.match(ended.stderr, /approved, but not applied: the disk is full/)
})

test('an empty list prints nothing into a pipe, words at a terminal and [] as JSON', async () => {
  await using unit = await startUnit({ answers: { 'GET /v1/changes/pending': { items: [] } } })
  const options = { env: { SERVICE_API_URL: unit.address } }
  assert.deepEqual(await svcctl(['change', 'pending'], options), { code: 0, stdout: '', stderr: '' })
  assert.equal((await svcctl(['change', 'pending', '--json'], options)).stdout, '[]\n')
  assert.equal((await svcctlAtTerminal(['change', 'pending'], options)).stdout.trim(), 'Nothing pending.')
})
