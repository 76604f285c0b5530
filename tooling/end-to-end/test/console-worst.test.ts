// What the console is shown at its worst: hostile text in every field, and lists that are long.
// Profile: rest. The pages of the console once more, filled with hostile text.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { goTo, openConsole } from '../src/console-looks.ts'
import { messageLog, openConsoleUnit } from '../src/console-unit.ts'
import { hiding, hostileTexts } from '../src/hostile.ts'
import { waitFor } from '../src/wait-for.ts'

const { skip, token, unit, browser } = await openConsoleUnit()

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
    mounts: place === 0 ? hostileTexts.map((source) => ({ source: `/${source}`, target: '/mnt/x', mode: 'ro' })) : [],
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
    '**/v1/sessions?*': { items: [session] },
    '**/v1/sessions/*/logs?*': { lines: hostileTexts.map((text) => ({ at, sandbox: text, text })), dropped: 0 },
    '**/v1/ui/chat/g0/messages?*': { messages: hostileTexts.map(message) },
    '**/v1/wirings?*': {
      items: hostileTexts.map((text, place) => ({
        channel: 'slack',
        address: `${place} ${text.trim()}`.slice(0, 256),
        engage: 'pattern',
        pattern: text.slice(0, 256),
        session: 'shared',
        agentGroupID: 'g0',
        changeID: 'chg_20200101000000.000000000',
      })),
    },
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
      await messageLog(page).getByText('alert(1)').first().waitFor()
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
    return (await page.getByText('5000 records, end of the log').count()) > 0
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
  await messageLog(page).getByText('message 2000').first().waitFor()
  assert.ok((await messageLog(page).locator('li').count()) <= 240)
  const more = page.getByRole('button', { name: 'Show earlier' })
  for (let turns = 0; turns < 40 && (await more.count()) > 0; turns += 1) await more.click()
  await messageLog(page).getByText('message 1', { exact: true }).waitFor()
  assert.ok((await messageLog(page).locator('li').count()) <= 240)
  const chat: unknown = await page.evaluate(`(${scrollThrough})(document.querySelector('.talk'))`)
  t.diagnostic(`frames over 50 ms: journal ${JSON.stringify(audit)}, messages ${JSON.stringify(chat)}`)
  await page.close()
})

test('what was said long ago is found over numbers that are gone, under the name of who said it', { skip }, async () => {
  const { page } = await openConsole(browser, unit, { token })
  const said = (seq: number, rest: object) => ({ id: `m${seq}`, conversationId: 'slack:C1', seq, text: `message ${seq}`, at, ...rest })
  const messages = [1, 2, 3, 4, 5].map((seq) => said(seq, { from: 'user', author: 'Ann\u202e' })).concat(said(5_000, { from: 'agent' }))
  await page.route('**/v1/ui/chat/dev-agent/messages?*', (route) => {
    const after = Number(new URL(route.request().url()).searchParams.get('after') ?? 4_999)
    // As where long ones do not fit one answer.
    return route.fulfill({ json: { messages: messages.filter(({ seq }) => seq > after).slice(0, 2) } })
  })
  await goTo(page, 'chat/dev-agent')
  await messageLog(page).getByText('message 5000').waitFor()
  const more = page.getByRole('button', { name: 'Show earlier' })
  const refusal = {
    type: 'about:blank',
    title: 'Unavailable',
    status: 503,
    code: 'unavailable',
    detail: 'the runner does not answer',
    requestId: 'x',
  }
  let isDown = true
  await page.route('**/v1/ui/chat/dev-agent/messages?*', (route) =>
    isDown && Number(new URL(route.request().url()).searchParams.get('after') ?? 5_000) < 4_999
      ? route.fulfill({ status: 503, contentType: 'application/problem+json', json: refusal })
      : route.fallback(),
  )
  await more.click()
  await messageLog(page).getByRole('alert').getByText('the runner does not answer').waitFor()
  isDown = false
  await more.click()
  await messageLog(page).getByText('message 5', { exact: true }).waitFor()
  assert.equal(await messageLog(page).getByRole('alert').count(), 0)
  assert.equal(await messageLog(page).locator('li.said').count(), 6)
  assert.equal(await messageLog(page).getByText('Ann\\u{202e}, slack:C1').count(), 5)
  await page.getByRole('button', { name: 'Show earlier' }).waitFor({ state: 'detached' })
  await page.close()
})
