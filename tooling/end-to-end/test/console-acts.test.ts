// What is done at the console besides deciding: the journal verified, a session purged, each form of an agent group.
// Profile: rest. Every form of the console; console.test.ts does a round of its main acts.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { axeViolations } from '../src/browser.ts'
import { say } from '../src/chat.ts'
import { goTo, openConsole } from '../src/console-looks.ts'
import { openConsoleUnit } from '../src/console-unit.ts'
import { waitFor } from '../src/wait-for.ts'

const { skip, token, unit, browser } = await openConsoleUnit()

test('the whole journal is verified from its page, and a bad line is named there', { skip }, async () => {
  const { page, faults } = await openConsole(browser, unit, { token, path: 'audit' })
  await page.getByRole('button', { name: 'Verify now' }).click()
  const { seq } = await unit.client.audit.head()
  const said = await page.getByText(/^All \d+ records verified/).innerText()
  const lines = Number(/\d+/.exec(said)?.[0])
  assert.ok(lines > 0 && lines <= seq + 1, said)
  assert.deepEqual(await axeViolations(page), [])

  const reason = 'line 7: altered, the hash in line 8 does not match it \u202e<b>'
  await page.route('**/v1/audit/verify', (route) => route.fulfill({ json: { ok: false, line: 7, reason } }))
  await page.getByRole('button', { name: 'Verify now' }).click()
  await page.getByRole('alert').getByText('Record 7 was altered: line 7: altered').waitFor()
  assert.ok((await page.getByRole('alert').innerText()).includes('\\u{202e}<b>'))
  assert.deepEqual(faults, [])
  await page.close()
})

test('what was said in a closed session is purged after a question, by an admin alone', { skip }, async () => {
  await say(unit, 'remember nothing of this')
  const id = (await unit.client.sessions.list()).items[0]?.id ?? ''
  const { page } = await openConsole(browser, unit, { token, path: `sessions/${id}` })
  await page.getByRole('button', { name: 'Terminate' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Terminate' }).click()
  await page.getByRole('button', { name: 'Purge', exact: true }).click()
  await page
    .getByRole('dialog', { name: `Purge ${id}` })
    .getByRole('button', { name: 'Purge permanently' })
    .click()
  await page.getByText(`Messages of ${id} deleted.`).waitFor()
  const purged = async () => (await unit.client.audit.list({ stage: 'purge' })).items.length === 1
  await waitFor('the line of the purge', 30_000, purged)
  assert.equal(JSON.stringify(await unit.client.chat.messages('dev-agent')).includes('remember nothing'), false)
  await page.close()

  const { token: approver } = await unit.client.tokens.create({ name: 'dora', role: 'approver' })
  const other = await openConsole(browser, unit, { token: approver, path: `sessions/${id}` })
  await other.page.getByText('You are dora with the role approver; this takes the role admin.').waitFor()
  assert.equal(await other.page.getByRole('button', { name: 'Purge' }).count(), 0)
  await other.page.close()
})

interface Form {
  readonly title: string
  readonly fill: (page: Page) => Promise<void>
  readonly asks: string
  readonly kind: string
  readonly after: unknown
  /** Nothing may be mounted on this unit, and it has no walls to look for packages in: refused is an answer, too. */
  readonly answer: { readonly status: number; readonly rule?: string }
}

const forms: readonly Form[] = [
  {
    title: 'Packages',
    fill: (page) => page.getByLabel('Packages of npm, one a line').fill('left-pad@1.3.0\n\n @scope/b@2.0.0 \n'),
    asks: 'Request 1 change',
    kind: 'packages',
    after: { npm: ['left-pad@1.3.0', '@scope/b@2.0.0'] },
    answer: { status: 422, rule: 'packages-no-sandbox' },
  },
  {
    title: 'Mounts',
    fill: async (page) => {
      await page.getByRole('button', { name: 'Add mount' }).click()
      await page.getByRole('button', { name: 'Add mount' }).click()
      await page.getByRole('button', { name: 'Remove' }).first().click()
      await page.getByRole('textbox', { name: 'On the host' }).fill('/srv/data')
      await page.getByRole('textbox', { name: 'In the sandbox' }).fill('/mnt/data')
      await page.getByLabel('The agent may write there').check()
    },
    asks: 'Request 1 change',
    kind: 'mounts',
    after: { mounts: [{ source: '/srv/data', target: '/mnt/data', mode: 'rw' }] },
    answer: { status: 422, rule: 'mount-not-allowed' },
  },
  {
    title: 'Channel',
    fill: async (page) => {
      await page.getByRole('textbox', { name: 'Address' }).fill('C012345')
      await page.getByLabel('Responds to').selectOption('pattern')
      await page.getByRole('textbox', { name: 'Pattern' }).fill('^deploy')
      await page.getByLabel('One session per').selectOption('person')
    },
    asks: 'Request this address',
    kind: 'wiring',
    after: { channel: 'slack', address: 'C012345', engage: 'pattern', session: 'person', pattern: '^deploy' },
    answer: { status: 202 },
  },
]

/** What the page sent, and what the unit said to it. */
const sentBy = async (page: Page, act: () => Promise<void>) => {
  // Longer than a click is tried: of the two, the click says more.
  const [request] = await Promise.all([page.waitForRequest((one) => one.url().endsWith('/v1/changes'), { timeout: 45_000 }), act()])
  const response = await request.response()
  assert.ok(response, request.failure()?.errorText)
  const { rule } = (await response.json()) as { rule?: string }
  return {
    body: request.postDataJSON() as Record<string, unknown>,
    answer: { status: response.status(), ...(rule !== undefined && { rule }) },
  }
}

test('each form of an agent group asks for its change, and nothing takes effect by it', { skip }, async () => {
  const { page } = await openConsole(browser, unit, { token, path: 'agents/dev-agent' })
  const before = await unit.client.groups.show('dev-agent')
  for (const { title, fill, asks, kind, after: wanted, answer: expected } of forms) {
    await goTo(page, 'agents')
    await goTo(page, 'agents/dev-agent')
    await page.locator('summary').getByText(title, { exact: true }).click()
    await fill(page)
    assert.deepEqual(await axeViolations(page), [], title)
    const { body, answer } = await sentBy(page, () => page.getByRole('button', { name: asks }).click())
    assert.deepEqual([body['kind'], body['agentGroupID'], body['after']], [kind, 'dev-agent', wanted])
    assert.deepEqual(answer, expected, title)
  }
  assert.deepEqual(await unit.client.groups.show('dev-agent'), before)
  await page.close()
})

test('an approved address is shown with its group, and its end is asked for there', { skip }, async () => {
  const wanted = { channel: 'slack', address: 'C777\u202e', engage: 'mention', session: 'thread' } as const
  const { id } = await unit.client.changes.submit({ kind: 'wiring', agentGroupID: 'dev-agent', after: wanted })
  await unit.client.changes.decide(id, { outcome: 'approve', decidedBy: 'cli:ann' })
  const { page, faults } = await openConsole(browser, unit, { token, path: 'agents/dev-agent' })
  await page.getByText('slack C777\\u{202e}').waitFor()
  await page.getByRole('button', { name: 'Request disconnection' }).click()
  await page.getByRole('button', { name: 'Approve exactly this' }).click()
  await page.locator('.desk').getByRole('status').getByText('applied').waitFor()
  assert.deepEqual((await unit.client.wirings.list({})).items, [])
  await goTo(page, 'agents/dev-agent')
  await page.getByText('Not connected to a channel.').waitFor()
  assert.deepEqual(faults, [])
  await page.close()
})

test('requested tools are added to the present grant, and take its place only where the box is ticked', { skip }, async () => {
  const present = { kind: 'mcp_access', agentGroupID: 'dev-agent', after: { server: 'sample', tools: ['echo'], maxCalls: 9 } } as const
  const { id } = await unit.client.changes.submit(present)
  await unit.client.changes.decide(id, { outcome: 'approve', decidedBy: 'someone' })
  const { page, faults } = await openConsole(browser, unit, { token, path: 'mcp/sample' })
  const request = async (replace: boolean, result: string): Promise<unknown> => {
    await goTo(page, 'mcp/sample')
    await page.getByLabel('Agent group').selectOption('dev-agent')
    await page.getByRole('checkbox', { name: 'Select add' }).check()
    if (replace) await page.getByRole('checkbox', { name: 'Replace the present grant: echo' }).check()
    await page.getByRole('status').getByText(result).waitFor()
    await page.getByRole('button', { name: 'Request access' }).click()
    await page.getByRole('heading', { level: 1, name: /^(Grant dev-agent|Add|Change the terms)/ }).waitFor()
    const change = (await unit.client.changes.pending()).items.at(-1)
    await unit.client.changes.withdraw(change?.id ?? '')
    return change?.after
  }
  assert.deepEqual(await request(false, 'Result: dev-agent may use echo, add.'), { server: 'sample', tools: ['echo', 'add'], maxCalls: 9 })
  assert.deepEqual(await request(true, 'Result: dev-agent may use add. It loses echo.'), { server: 'sample', tools: ['add'] })
  assert.deepEqual(faults, [])
  await page.close()
})

test('a request for a grant that changed while it was sent is withdrawn', { skip }, async () => {
  const { page } = await openConsole(browser, unit, { token, path: 'mcp/sample' })
  await page.getByRole('checkbox', { name: 'Select add' }).check()
  await page.getByRole('status').getByText('may use echo, add.').waitFor()
  await page.route('**/v1/changes', async (route) => {
    const revoke = { kind: 'mcp_revoke', agentGroupID: 'dev-agent', after: { server: 'sample' } } as const
    const { id } = await unit.client.changes.submit(revoke)
    await unit.client.changes.decide(id, { outcome: 'approve', decidedBy: 'someone' })
    await route.continue()
  })
  await page.getByRole('button', { name: 'Request access' }).click()
  await page.getByRole('alert').getByText('changed in the meantime').waitFor()
  assert.deepEqual((await unit.client.changes.pending({ kind: 'mcp_access' })).items, [])
  await page.close()
})
