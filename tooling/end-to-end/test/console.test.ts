// The console in a real browser: sign in, talk, decide, read the journal.
import assert from 'node:assert/strict'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { axeViolations, browserLacks, openBrowser, openPage } from '../src/browser.ts'
import { release, startUnit, type Unit } from '../src/unit.ts'

const token = 'f'.repeat(64)
const skip = browserLacks()
const pictures = join(release, 'pictures')
let unit: Unit
let browser: Browser

before(async () => {
  if (skip !== false) return
  await mkdir(pictures, { recursive: true })
  unit = await startUnit({ flags: ['--dev', '--sandbox', 'none'], env: { SERVICE_API_TOKEN: token }, token })
  browser = await openBrowser()
})
after(async () => {
  await browser?.close()
  await unit?.dispose()
})

const looksRight = async (page: Page, name: string): Promise<void> => {
  await page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true })
  assert.deepEqual(await axeViolations(page), [], name)
}

test('an operator signs in, talks to an agent, approves what it asked for and reads the journal', { skip }, async () => {
  const { page, faults } = await openPage(browser, `${unit.address}/ui/`)
  await page.getByLabel('Admin token').fill('wrong')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('alert').getByText('unauthorized').waitFor()
  await looksRight(page, 'sign-in')
  await page.getByLabel('Admin token').fill(token)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('link', { name: 'Approvals', exact: true }).click()
  await page.getByText('Nothing pending.').waitFor()
  await looksRight(page, 'approvals-empty')

  await page.getByRole('link', { name: 'Chat' }).click()
  const say = async (text: string, reply: RegExp): Promise<void> => {
    await page.getByLabel('Message', { exact: true }).fill(text)
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByRole('log', { name: 'Messages' }).getByText(reply).first().waitFor()
  }
  await say('hello', /echo: hello/)
  await say('tool:sample__echo {"text":"from the browser"}', /refused/)
  await say('request:mcp_access {"server":"sample","tools":["echo"]}', /requested mcp_access/)
  await looksRight(page, 'chat')

  await page.getByRole('link', { name: 'Approvals' }).click()
  const waiting = page.getByRole('list', { name: 'Pending changes' })
  await waiting.getByText('agent:dev-agent').waitFor()
  await looksRight(page, 'approvals')
  await waiting.getByRole('link').click()
  await page.getByRole('button', { name: 'Approve exactly this' }).click()
  await page.getByText('Applied', { exact: true }).waitFor()

  await page.getByRole('link', { name: 'MCP' }).click()
  await page.getByRole('link', { name: 'sample' }).click()
  await page.getByRole('button', { name: 'Probe' }).click()
  await page.getByRole('list', { name: 'Tools of sample' }).getByText('echo').first().waitFor()
  await looksRight(page, 'mcp')

  await page.getByRole('link', { name: 'Audit' }).click()
  for (const stage of ['submit', 'approve', 'apply']) await page.getByRole('cell', { name: stage, exact: true }).first().waitFor()
  await looksRight(page, 'audit')
  await page.goBack()
  await page.getByRole('heading', { level: 1, name: 'sample' }).waitFor()
  assert.deepEqual(faults, [])
})

test('hostile text is shown, never run and never reordered', { skip }, async () => {
  const hostile = '<img src=x onerror="document.title=1">\u202egnirts'
  const { id } = await unit.client.changes.submit({
    kind: 'persona',
    agentGroupID: 'dev-agent',
    after: { instructions: hostile },
    requestedBy: 'cli:\u202eevil',
  })
  const { page, faults } = await openPage(browser, `${unit.address}/ui/changes/${id}`)
  await page.getByLabel('Admin token').fill(token)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByText('\\u{202e}gnirts').first().waitFor()
  assert.ok(!(await page.locator('body').innerText()).includes('\u202e'))
  assert.equal(await page.locator('img').count(), 0)
  assert.deepEqual(faults, [])
})

test('the console fits a phone', { skip }, async () => {
  const { page } = await openPage(browser, `${unit.address}/ui/`)
  await page.setViewportSize({ width: 320, height: 640 })
  await page.getByLabel('Admin token').fill(token)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
  for (const name of ['Approvals', 'Chat', 'MCP', 'Audit']) {
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name }).click()
    await page.getByRole('heading', { level: 1, name }).waitFor()
    const wide: unknown = await page.evaluate('document.documentElement.scrollWidth')
    assert.ok(Number(wide) <= 320, `${name} is ${String(wide)} px wide`)
  }
  await page.screenshot({ path: join(pictures, 'phone.png') })
})
