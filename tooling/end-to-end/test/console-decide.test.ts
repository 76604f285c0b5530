// The console where people decide: the whole flow by mouse and by keyboard, a second window, a stale change, who may not.
// Profile: rest. Every way to decide in the console; console.test.ts approves a change in it.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createClient } from '@gatehouse/client'
import type { Browser, Page } from 'playwright-core'
import { browserLacks, openBrowser } from '../src/browser.ts'
import { enter, goTo, press, signIn, tabTo } from '../src/console.ts'
import { freePort, freshDirectory, startUnit, type Unit } from '../src/unit.ts'
import { waitFor } from '../src/wait-for.ts'
import { rm } from 'node:fs/promises'

const token = 'f'.repeat(64)
const skip = browserLacks()
const flags = ['--dev', '--sandbox', 'none']
let unit: Unit
let browser: Browser

before(async () => {
  if (skip !== false) return
  unit = await startUnit({ flags, env: { SERVICE_API_TOKEN: token }, token })
  browser = await openBrowser()
})
after(async () => {
  await browser?.close()
  await unit?.dispose()
})

const patience = 30_000
const submit = async (instructions: string, agentGroupID = 'dev-agent'): Promise<string> =>
  (await unit.client.changes.submit({ kind: 'persona', agentGroupID, after: { instructions } })).id
const ended = (page: Page, text: string): Promise<void> => page.locator('.desk').getByRole('status').getByText(text).waitFor()
const said = (page: Page, text: RegExp): Promise<void> => page.getByRole('log', { name: 'Messages' }).getByText(text).last().waitFor()

test('the whole flow by mouse, followed in a second window: probe, ask, approve, use, revoke', { skip }, async () => {
  const { page, faults } = await enter(browser, { unit, token, path: 'mcp' })
  const second = await enter(browser, { unit, token, path: 'approvals' })
  await second.page.getByText('Nothing pending.').waitFor()

  await page.getByRole('list', { name: 'Tool servers' }).getByRole('link', { name: 'sample' }).click()
  await page.getByRole('button', { name: 'Probe' }).click()
  await page.getByRole('checkbox', { name: 'Select echo' }).click()
  await page.getByRole('button', { name: 'Request access' }).click()
  await page.getByRole('heading', { level: 1, name: 'Grant dev-agent echo of sample' }).waitFor()
  const row = second.page.getByRole('list', { name: 'Pending changes' }).getByRole('link', { name: /Grant dev-agent echo/ })
  await row.waitFor()

  await page.locator('summary').getByText('1 added').click()
  await page.getByRole('list', { name: 'Access added and removed' }).getByText('sample__echo').waitFor()
  await page.getByRole('button', { name: 'Approve exactly this' }).click()
  await ended(page, 'applied')
  await row.waitFor({ state: 'detached' })
  await second.page.getByRole('link', { name: 'Decided' }).click()
  await second.page.getByRole('list', { name: 'Changes', exact: true }).getByText('applied').first().waitFor()

  await page.getByRole('link', { name: 'Chat' }).click()
  await page.getByLabel('Message', { exact: true }).fill('tool:sample__echo {"text":"by mouse"}')
  await page.getByRole('button', { name: 'Send' }).click()
  await said(page, /by mouse(?!")/)

  await goTo(page, 'mcp/sample')
  await page.getByRole('list', { name: 'Grants of sample' }).getByRole('button', { name: 'Request revocation' }).click()
  await page.getByRole('heading', { level: 1, name: /^Revoke dev-agent/ }).waitFor()
  await page.getByRole('button', { name: 'Approve exactly this' }).click()
  await ended(page, 'applied')
  await goTo(page, 'mcp/sample')
  await page.getByText('No group has a grant').waitFor()
  assert.deepEqual([...faults, ...second.faults], [])
  await Promise.all([page.close(), second.page.close()])
})

test('the whole flow by keyboard alone', { skip }, async () => {
  const { page, faults } = await enter(browser, { unit, token, path: 'approvals' })
  await press(page, 'g m')
  await page.getByRole('list', { name: 'Tool servers' }).waitFor()
  await press(page, 'j Enter')
  await tabTo(page, 'button', 'Probe')
  await page.keyboard.press('Enter')
  await tabTo(page, 'checkbox', 'Select add')
  await page.keyboard.press('Space')
  await tabTo(page, 'button', 'Request access')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Grant dev-agent add of sample' }).waitFor()
  await page.getByRole('button', { name: 'Approve exactly this' }).waitFor()
  await press(page, 'c')
  await page.keyboard.type('Sums are harmless.')
  await tabTo(page, 'button', 'Approve exactly this')
  await page.keyboard.press('Enter')
  await ended(page, 'applied')
  await page.getByText('Sums are harmless.').waitFor()

  await press(page, 'g c')
  await page.getByRole('heading', { level: 1, name: 'Chat' }).waitFor()
  await tabTo(page, 'textbox', 'Message')
  await page.keyboard.type('tool:sample__add {"a":20,"b":22}')
  await tabTo(page, 'button', 'Send')
  await page.keyboard.press('Enter')
  await said(page, /42/)
  assert.deepEqual(faults, [])
  await page.close()
})

test('what moved under the eyes of a reader is shown anew, and is not approved unread', { skip }, async () => {
  const first = await submit('Be short.')
  const { page, faults } = await enter(browser, { unit, token, path: `changes/${first}` })
  await page.getByRole('button', { name: 'Approve exactly this' }).waitFor()
  const other = await submit('Be long.')
  await unit.client.changes.decide(other, { outcome: 'approve', decidedBy: 'cli:bob' })

  await page.getByRole('button', { name: 'Approve exactly this' }).click()
  await page.getByText('This change is not what you saw before.').waitFor()
  await page.locator('.text-diff .line.gone').getByText('Be long.').waitFor()
  assert.equal((await unit.client.changes.show(first)).state, 'held')
  const approve = page.getByRole('button', { name: 'Approve exactly this' })
  await waitFor('the button to be off', patience, () => approve.isDisabled())
  await page.getByRole('button', { name: 'I have read the new difference' }).click()
  await waitFor('the button to be on', patience, () => approve.isEnabled())
  await approve.click()
  await ended(page, 'applied')
  assert.equal((await unit.client.groups.show('dev-agent')).persona, 'Be short.')
  assert.deepEqual(
    faults.filter((fault) => !fault.includes('409')),
    [],
  )
  await page.close()
})

test('a high risk is typed out before it can be approved, and rejected without a word', { skip }, async () => {
  const every = { kind: 'mcp_access', agentGroupID: 'dev-agent', after: { server: 'sample', tools: [] } } as const
  const { id } = await unit.client.changes.submit(every)
  const { page } = await enter(browser, { unit, token, path: `changes/${id}` })
  const approve = page.getByRole('button', { name: 'Approve exactly this' })
  await page.getByText('It grants every tool of the server, including tools that the server adds later.').waitFor()
  assert.ok(await approve.isDisabled())
  await page.getByLabel(/To approve this high risk, type/).fill('dev-agen')
  assert.ok(await approve.isDisabled())
  await page.getByLabel(/To approve this high risk, type/).fill('dev-agent')
  await waitFor('the button to be on', patience, () => approve.isEnabled())
  await page.getByRole('button', { name: 'Reject' }).click()
  await ended(page, 'rejected')
  assert.equal((await unit.client.changes.show(id)).state, 'rejected')
  await page.close()
})

test('who may not decide reads why, and no token that is wrong, over or revoked gets in', { skip }, async () => {
  const id = await submit('To be read.')
  const mint = async (name: string, role: 'auditor' | 'approver', more: { expiresAt?: string } = {}): Promise<string> =>
    (await unit.client.tokens.create({ name, role, ...more })).token
  const short = await mint('short', 'auditor', { expiresAt: new Date(Date.now() + 500).toISOString() })
  const reader = await enter(browser, { unit, token: await mint('reader', 'auditor'), path: `changes/${id}` })
  await reader.page.getByText('You are reader with the role auditor; this takes the role approver.').waitFor()
  assert.equal(await reader.page.getByRole('button', { name: 'Approve exactly this' }).count(), 0)
  await reader.page.close()

  const approver = await mint('approver', 'approver')
  const own = await startAs(approver, 'Asked for by the approver.')
  const { page } = await enter(browser, { unit, token: approver, path: `changes/${own}` })
  await page.getByText('You requested this change, so someone else must approve it.').waitFor()
  assert.ok(await page.getByRole('button', { name: 'Approve exactly this' }).isDisabled())

  await goTo(page, `changes/${id}`)
  await page.getByLabel('Reason (optional)').fill('Typed before the token ended.')
  await unit.client.tokens.revoke('approver')
  await page.getByRole('dialog', { name: 'Sign in again' }).waitFor()
  for (const bad of ['wrong', approver, short]) {
    await signIn(page, bad)
    await page.getByRole('dialog').getByRole('alert').getByText('unauthorized').waitFor()
  }
  await signIn(page, token)
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  assert.equal(await page.getByLabel('Reason (optional)').inputValue(), 'Typed before the token ended.')
  await page.getByRole('button', { name: 'Reject' }).click()
  await ended(page, 'rejected')
  assert.equal((await unit.client.changes.show(id)).decisions[0]?.reason, 'Typed before the token ended.')
  await unit.client.changes.decide(own, { outcome: 'reject', decidedBy: 'cli:test' })
  await page.close()
})

const startAs = async (bearer: string, instructions: string): Promise<string> => {
  const response = await fetch(`${unit.address}/v1/changes`, {
    method: 'POST',
    headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
    body: JSON.stringify({ kind: 'persona', agentGroupID: 'dev-agent', after: { instructions } }),
  })
  return ((await response.json()) as { id: string }).id
}

test('a change whose approval fell with its token is held again, and the same person may approve it again', { skip }, async () => {
  const id = await submit('Approved twice.')
  const approve = { outcome: 'approve', decidedBy: 'someone' } as const
  const mint = async (): Promise<string> => (await unit.client.tokens.create({ name: 'twice', role: 'approver' })).token
  const first = await mint()
  const { freezes } = unit.client
  await freezes.freeze({ agentGroupID: 'dev-agent', reason: 'to hold the apply back' })
  await createClient({ address: unit.address, token: first }).changes.decide(id, approve)
  await unit.client.tokens.revoke('twice')
  await freezes.unfreeze({ agentGroupID: 'dev-agent', reason: 'the approver is gone' })
  await waitFor('the change to be held again', patience, async () => (await unit.client.changes.show(id)).state === 'held')

  const { page } = await enter(browser, { unit, token: await mint(), path: `changes/${id}` })
  await page.getByRole('button', { name: 'Approve exactly this' }).click()
  await ended(page, 'applied')
  await page.close()
})

test('a unit that starts again in mid-work is found again, and nothing that was typed is lost', { skip }, async () => {
  const options = { flags, env: { SERVICE_API_TOKEN: token }, token, stateDir: await freshDirectory(), port: await freePort() }
  const before = await startUnit(options)
  const { id } = await before.client.changes.submit({ kind: 'persona', agentGroupID: 'dev-agent', after: { instructions: 'Patience.' } })
  const { page } = await enter(browser, { unit: before, token, path: `changes/${id}` })
  await page.getByLabel('Reason (optional)').fill('Typed before the unit went away.')
  await before.stop()
  await page.getByText('Reconnecting').waitFor()
  const again = await startUnit(options)
  await page.getByText('Live', { exact: true }).waitFor()
  assert.equal(await page.getByLabel('Reason (optional)').inputValue(), 'Typed before the unit went away.')
  await page.getByRole('button', { name: 'Approve exactly this' }).click()
  await ended(page, 'applied')
  assert.equal((await again.client.changes.show(id)).decisions[0]?.reason, 'Typed before the unit went away.')
  await page.close()
  await again.dispose()
  await rm(options.stateDir, { recursive: true, force: true })
})
