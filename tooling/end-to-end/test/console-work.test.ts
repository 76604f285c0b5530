// Working at the console: by keys alone, with a token that is taken away, with a process that ends, with hostile text, with long lists.
import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { Browser, Page } from 'playwright-core'
import { browserLacks, openBrowser, openPage } from '../src/browser.ts'
import { goTo, openConsole, settled, takePicture } from '../src/console-looks.ts'
import { hiding, hostileTexts } from '../src/hostile.ts'
import { release, startUnit, type Unit } from '../src/unit.ts'
import { waitFor } from '../src/wait-for.ts'

const token = 'f'.repeat(64)
const skip = browserLacks()
let unit: Unit
let browser: Browser

before(async () => {
  if (skip !== false) return
  unit = await startUnit({ flags: ['--dev', '--sandbox', 'none'], env: { SERVICE_API_TOKEN: token }, token })
  browser = await openBrowser()
})
after(async () => {
  await browser?.close()
  await unit?.dispose()
})

const log = (page: Page) => page.getByRole('log', { name: 'Messages' })

test('scripts and styles take at most 60 kB, what draws plots apart', { skip }, async () => {
  const folder = join(release, 'console/assets')
  const names = (await readdir(folder)).filter((name) => /\.(?:js|css)$/.test(name) && !name.startsWith('draw-'))
  const sizes = await Promise.all(names.map(async (name) => gzipSync(await readFile(join(folder, name)), { level: 9 }).length))
  const all = sizes.reduce((sum, size) => sum + size, 0)
  assert.ok(names.length >= 2)
  assert.ok(all <= 60_000, `${all} bytes`)
})

test('everything is done by keys alone', { skip }, async (t) => {
  const { page, faults } = await openPage(browser, `${unit.address}/ui/`)
  page.setDefaultTimeout(30_000)
  await page.getByLabel('Admin token').focus()
  await page.keyboard.type(token)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
  t.diagnostic(`first paint: ${String(await page.evaluate(`performance.getEntriesByName('first-contentful-paint')[0]?.startTime`))} ms`)
  const keys = async (...list: readonly string[]): Promise<void> => {
    for (const key of list) await page.keyboard.press(key)
  }
  await keys('?')
  await page.getByRole('dialog', { name: 'Keys' }).getByText('Go to Chat').waitFor()
  await takePicture(page, 'keys')
  await keys('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })

  await keys('g', 'c')
  await page.getByLabel('Message', { exact: true }).waitFor()
  for (let presses = 0; presses < 60 && (await page.evaluate('document.activeElement?.id')) !== 'text'; presses += 1) await keys('Tab')
  await page.keyboard.type('by keys')
  await keys('Enter')
  await log(page).getByText('echo: by keys').waitFor()

  await keys('Escape', 'Tab')
  await page.evaluate('document.activeElement.blur()')
  await keys('g', 's')
  await page.getByRole('heading', { level: 1, name: 'Sessions' }).waitFor()
  await page.locator('[data-row]').first().waitFor()
  await keys('j', 'Enter')
  await page.getByRole('heading', { level: 1, name: /^Session ses_/ }).waitFor()
  await keys('g', 'j')
  await page.getByRole('heading', { level: 1, name: 'Audit' }).waitFor()
  await page.locator('[data-row]').first().waitFor()
  await keys('j', 'Enter')
  await page.getByRole('dialog', { name: /^Line \d+/ }).waitFor()
  await keys('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.goBack()
  await page.getByRole('heading', { level: 1, name: /^Session ses_/ }).waitFor()
  assert.deepEqual(faults, [])
  await page.close()
})

test('a token that is revoked in mid-work is asked for anew, and nothing typed is lost', { skip }, async () => {
  const minted = await unit.client.tokens.create({ name: 'bob', role: 'requester' })
  const { page } = await openConsole(browser, unit, { token: minted.token, path: 'chat/dev-agent' })
  const message = page.getByLabel('Message', { exact: true })
  await message.fill('half a sentence')
  await unit.client.tokens.revoke('bob')
  const dialog = page.getByRole('dialog', { name: 'Sign in again' })
  await dialog.waitFor()
  await takePicture(page, 'sign-in-again')
  await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')
  assert.equal(await dialog.isVisible(), true)
  await dialog.getByLabel('Admin token').fill(minted.token)
  await dialog.getByRole('button', { name: 'Sign in' }).click()
  await dialog.getByRole('alert').getByText('unauthorized').waitFor()
  await dialog.getByLabel('Admin token').fill(token)
  await dialog.getByRole('button', { name: 'Sign in' }).click()
  await dialog.waitFor({ state: 'detached' })
  assert.equal(await message.inputValue(), 'half a sentence')
  await page.getByRole('button', { name: 'Send' }).click()
  await log(page).getByText('echo: half a sentence').waitFor()
  await page.getByText('Live', { exact: true }).waitFor()
  await page.close()
})

test('a role that may not act sees why', { skip }, async () => {
  const { token: auditor } = await unit.client.tokens.create({ name: 'carol', role: 'auditor' })
  const { page } = await openConsole(browser, unit, { token: auditor, path: 'settings' })
  await page.getByText('You are carol with the role auditor; this takes the role admin.').first().waitFor()
  await goTo(page, 'agents/new')
  await page.getByText('this takes the role requester').waitFor()
  assert.equal(await page.getByRole('button', { name: 'Ask for this group' }).isDisabled(), true)
  await page.close()
})

test('when the process behind the page ends, the page waits, and goes on where it was', { skip }, async () => {
  const { page } = await openConsole(browser, unit, { token, path: 'chat/dev-agent' })
  const message = page.getByLabel('Message', { exact: true })
  await message.fill('not lost')
  const connection = page.locator('.connection')
  await connection.getByText('Live').waitFor()
  const pid = await unit.pidOf('control-plane')
  process.kill(pid, 'SIGKILL')
  await connection.getByText('Reconnecting').waitFor()
  await waitFor('another control plane', 30_000, async () => (await unit.pidOf('control-plane').catch(() => pid)) !== pid)
  await connection.getByText('Live').waitFor()
  assert.equal(await message.inputValue(), 'not lost')
  await page.getByRole('button', { name: 'Send' }).click()
  await log(page).getByText('echo: not lost').waitFor()
  const { id } = await unit.client.changes.submit({ kind: 'persona', agentGroupID: 'dev-agent', after: { instructions: 'after the end' } })
  await page
    .getByRole('link', { name: /dev-agent/ })
    .first()
    .waitFor()
  await unit.client.changes.decide(id, { outcome: 'reject', decidedBy: 'test' })
  await log(page).getByText('rejected').waitFor()
  await page.close()
})

const at = '2026-01-02T03:04:05.000Z'
const hash = '0'.repeat(64)

/** Answers of the API with hostile text in every field that has room for it. */
const hostileAnswers = (): Readonly<Record<string, unknown>> => {
  const line = (text: string, seq: number) => ({
    seq,
    time: at,
    stage: 'submit',
    edge: 'api',
    principal: text,
    by: text,
    kind: text,
    agentGroupID: text,
    changeID: text,
    detail: { text },
    prev: hash,
    hash,
  })
  const group = (text: string, place: number) => ({
    id: `g${place}`,
    name: text,
    agent: 'model',
    persona: text,
    model: { provider: 'anthropic', id: 'm' },
    tools: [],
    members: [{ channel: 'slack', user: text.trim().slice(0, 250) || 'x' }],
    limits: {},
    providerTools: [text],
    mounts: [],
    createdAt: at,
    origin: text,
  })
  const session = {
    id: 'ses_aaaaaaaaaaaaa',
    agentGroupID: 'g0',
    conversationId: 'console',
    state: 'live',
    waiting: 1,
    launches: 1,
    lastExit: hostileTexts.join(' '),
  }
  const message = (text: string, place: number) => ({
    id: `m${place}`,
    conversationId: 'console',
    seq: place + 1,
    from: ['user', 'agent', 'system'][place % 3],
    text,
    at,
  })
  const call = (text: string, place: number) => ({
    id: `c${place}`,
    time: at,
    session: text,
    agentGroupID: 'g0',
    server: text,
    tool: text,
    op: 'call',
    status: 'ok',
    bytes: 1,
    duration: 1,
  })
  const groups = hostileTexts.map(group)
  return {
    '**/v1/audit?*': { items: hostileTexts.map((text, place) => line(text, hostileTexts.length - place)) },
    '**/v1/audit/calls?*': { items: hostileTexts.map(call) },
    '**/v1/agent-groups?*': { items: groups },
    '**/v1/agent-groups/g0': { ...groups[0], persona: hostileTexts.join('\n') },
    '**/v1/agent-groups/g0/files?*': {
      items: hostileTexts.map((name) => ({ name, kind: 'file', size: 1, modifiedAt: at, readable: false })),
    },
    '**/v1/sessions': { items: [session] },
    '**/v1/sessions/*/logs?*': { lines: hostileTexts.map((text) => ({ at, sandbox: text, text })), dropped: 0 },
    '**/v1/ui/chat/g0/messages?*': { messages: hostileTexts.map(message) },
    '**/v1/freeze': { items: hostileTexts.map((text, place) => ({ agentGroupID: `g${place}`, reason: text, by: text, at })) },
    '**/v1/tokens?*': {
      items: hostileTexts.map((text, place) => ({ name: `t${place}`, role: 'auditor', createdAt: at, createdBy: text })),
    },
  }
}

test('120 hostile texts in every field that the pages show stay text', { skip }, async () => {
  assert.ok(hostileTexts.length >= 110)
  const { page, faults } = await openConsole(browser, unit, { token })
  for (const [url, json] of Object.entries(hostileAnswers())) {
    // A question for what came since is answered with nothing.
    await page.route(url, (route) => route.fulfill({ json: route.request().url().includes('after=') ? { messages: [] } : json }))
  }
  const wrong: string[] = []
  for (const path of ['audit', 'agents', 'agents/g0', 'sessions', 'sessions/ses_aaaaaaaaaaaaa', 'chat/g0', 'settings', 'overview']) {
    await goTo(page, path)
    if (path === 'chat/g0') {
      await log(page).getByText('alert(1)').first().waitFor()
      await page.getByText('Files of the workspace').click()
      await page.locator('.files li').first().waitFor()
    }
    await page.locator('[data-state="ready"]').first().waitFor()
    if ((await page.locator('[data-state="failed"]').count()) > 0) wrong.push(`${path} shows a failure`)
    const text = await page.locator('body').innerText()
    if (hiding.test(text)) wrong.push(`${path} shows a character that hides`)
    const strange = await page
      .locator('main :is(script, iframe, img, style, math, object, embed, [onload], [onerror], a[href^="javascript"])')
      .count()
    if (strange > 0) wrong.push(`${path} has ${strange} strange elements`)
    if (!(await page.title()).endsWith('– Gatehouse')) wrong.push(`${path} has another title`)
  }
  assert.deepEqual([...wrong, ...faults], [])
  await page.close()
})

/** Frames that took longer than 50 ms while the element was scrolled to its end and back, step by step. */
const scrollThrough = `async (box) => {
  let slow = 0, frames = 0, last = performance.now()
  const frame = () => new Promise((resolve) => requestAnimationFrame((now) => { frames += 1; if (now - last > 50) slow += 1; last = now; resolve() }))
  await frame()
  slow = 0
  for (let step = 0; step < 60; step += 1) { box.scrollTop = (box.scrollHeight * step) / 60; await frame() }
  for (let step = 60; step > 0; step -= 1) { box.scrollTop = (box.scrollHeight * step) / 60; await frame() }
  return { slow, frames }
}`

test('5,000 lines of the journal and 2,000 messages are read with few of them on the page', { skip }, async (t) => {
  const lines = 5_000
  const { page } = await openConsole(browser, unit, { token })
  await page.route('**/v1/audit?*', (route) => {
    const before = Number(new URL(route.request().url()).searchParams.get('cursor') ?? lines + 1)
    const items = Array.from({ length: Math.min(200, before - 1) }, (_, place) => ({
      seq: before - 1 - place,
      time: at,
      stage: 'submit',
      edge: 'api',
      principal: 'admin',
      kind: 'persona',
      agentGroupID: 'dev-agent',
      detail: {},
      prev: hash,
      hash,
    }))
    const last = items.at(-1)?.seq ?? 1
    return route.fulfill({ json: { items, ...(last > 1 && { nextCursor: String(last) }) } })
  })
  await goTo(page, 'audit')
  const box = page.locator('.virtual-box')
  await waitFor('all lines', 60_000, async () => {
    await box.evaluate((element) => void (element.scrollTop = element.scrollHeight))
    return (await page.getByText('5000 lines read, all there are').count()) > 0
  })
  const audit: unknown = await page.evaluate(`(${scrollThrough})(document.querySelector('.virtual-box'))`)
  assert.ok((await page.locator('[data-row]').count()) < 80)
  await box.evaluate((element) => void (element.scrollTop = element.scrollHeight))
  await page.getByRole('button', { name: 'Line 1: submit' }).waitFor()

  const messages = Array.from({ length: 2_000 }, (_, place) => ({
    id: `m${place}`,
    conversationId: 'console',
    seq: place + 1,
    from: place % 2 === 0 ? 'user' : 'agent',
    text: `message ${place + 1} `.repeat(1 + (place % 9)),
    at,
  }))
  await page.route('**/v1/ui/chat/dev-agent/messages?*', (route) => {
    const after = new URL(route.request().url()).searchParams.get('after')
    return route.fulfill({ json: { messages: after === null ? messages.slice(-200) : messages.slice(Number(after), Number(after) + 200) } })
  })
  await goTo(page, 'chat/dev-agent')
  await log(page).getByText('message 2000').first().waitFor()
  assert.ok((await log(page).locator('li').count()) <= 240)
  const more = page.getByRole('button', { name: 'Show earlier' })
  for (let turns = 0; turns < 40 && (await more.count()) > 0; turns += 1) await more.click()
  await log(page).getByText('message 1', { exact: true }).waitFor()
  assert.ok((await log(page).locator('li').count()) <= 240)
  const chat: unknown = await page.evaluate(`(${scrollThrough})(document.querySelector('.talk'))`)
  t.diagnostic(`frames over 50 ms: journal ${JSON.stringify(audit)}, messages ${JSON.stringify(chat)}`)
  await page.close()
})

test('filters stand in the address: a link brings them along, and the back button takes them back', { skip }, async () => {
  const { page } = await openConsole(browser, unit, { token, path: 'audit?stage=submit' })
  await settled(page)
  assert.equal(await page.getByLabel('Stage').inputValue(), 'submit')
  await page.getByLabel('Stage').selectOption('token-create')
  await page.waitForURL('**/ui/audit?stage=token-create')
  await page.getByText('token-create').nth(1).waitFor()
  await page.goBack()
  await page.waitForURL('**/ui/audit?stage=submit')
  assert.equal(await page.getByLabel('Stage').inputValue(), 'submit')
  await page.close()
})
