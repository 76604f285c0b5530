// The pages of changes and tool servers as they look: hostile text, many changes, large schemas, every theme and width.
// Profile: rest. A matrix of pages, themes and widths.
import assert from 'node:assert/strict'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test, type TestContext } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { axeViolations, browserLacks, openBrowser } from '../src/browser.ts'
import { enter, goTo } from '../src/console.ts'
import { hiding, hostileTexts } from '../src/hostile.ts'
import { freshDirectory, release, startUnit, type Unit } from '../src/unit.ts'
import { waitFor } from '../src/wait-for.ts'

const token = 'f'.repeat(64)
const skip = browserLacks()
const full = process.env['GATEHOUSE_PROFILE'] === 'full'
const pictures = join(release, 'pictures')
const changingServer = join(import.meta.dirname, 'fixtures/changing-server.mjs')
let unit: Unit
let browser: Browser
let directory: string

before(async () => {
  if (skip !== false) return
  await mkdir(pictures, { recursive: true })
  directory = await freshDirectory()
  unit = await startUnit({ flags: ['--dev', '--sandbox', 'none', '--rate-limit', 'off'], env: { SERVICE_API_TOKEN: token }, token })
  browser = await openBrowser()
})
after(async () => {
  await browser?.close()
  await unit?.dispose()
  if (directory !== undefined) await rm(directory, { recursive: true, force: true })
})

const submit = async (kind: string, after: unknown, more: { reason?: string; requestedBy?: string } = {}): Promise<string> =>
  (await unit.client.changes.submit({ kind, agentGroupID: 'dev-agent', after, ...more })).id

/** A tool server that declares these, probed once. */
const declare = async (name: string, tools: readonly object[]): Promise<void> => {
  const file = join(directory, `${name}.json`)
  await writeFile(file, JSON.stringify(tools))
  const args = [changingServer, file, join(directory, `${name}.calls`)]
  await unit.client.servers.put(name, { transport: 'stdio', command: process.execPath, args, env: {} })
  await unit.client.servers.probe(name)
}

const widths = [320, 768, 1440] as const
const looks = widths.flatMap((width) => (['light', 'dark'] as const).map((colorScheme) => ({ width, colorScheme })))
const corners = looks.filter(
  ({ width, colorScheme }) => (width === 320 && colorScheme === 'dark') || (width === 1440 && colorScheme === 'light'),
)

const alternating = looks.filter(({ width, colorScheme }) => (width === 768) === (colorScheme === 'light'))

/** They fit in every look. The rules are asked for at every width where something is decided, else quickly; in all, if there is time. */
const looksRight = async (page: Page, name: string, which: 'every' | 'corners' = 'corners'): Promise<void> => {
  const chosen = which === 'every' ? alternating : corners
  for (const look of looks) {
    const { width, colorScheme } = look
    await page.setViewportSize({ width, height: 900 })
    await page.emulateMedia({ colorScheme })
    const wide: unknown = await page.evaluate('document.documentElement.scrollWidth')
    assert.ok(Number(wide) <= width, `${name} is ${String(wide)} px wide at ${width} px`)
    if (!full && !chosen.includes(look)) continue
    assert.deepEqual(await axeViolations(page), [], `${name} at ${width} px, ${colorScheme}`)
    if (full) await page.screenshot({ path: join(pictures, `${name}-${width}-${colorScheme}.png`), fullPage: true })
  }
}

const opened = async (page: Page, path: string, until: string): Promise<void> => {
  await goTo(page, path)
  await page.locator('#main').getByText(until).first().waitFor()
}

test('nothing is wrong for those who cannot see well, empty or full, in both themes at three widths', { skip }, async () => {
  const { page, faults } = await enter(browser, { unit, token, path: 'approvals' })
  await page.getByText('Nothing pending.').waitFor()
  await looksRight(page, 'decide-approvals-empty')
  await opened(page, 'mcp/no-such-server', 'There is no tool server')
  await looksRight(page, 'decide-server-gone')
  const access = await submit('mcp_access', { server: 'sample', tools: [], maxCalls: 20 }, { reason: 'To answer the question of Friday.' })
  const persona = await submit('persona', { instructions: 'Be kind.\nBe short.' })
  await opened(page, 'approvals', 'Grant dev-agent every tool')
  await looksRight(page, 'decide-approvals', 'every')
  await opened(page, `changes/${access}`, 'including those that it adds later')
  await looksRight(page, 'decide-change-high', 'every')
  await opened(page, `changes/${persona}`, 'unchanged')
  await looksRight(page, 'decide-change-persona')
  await unit.client.changes.decide(access, { outcome: 'approve', decidedBy: 'cli:ann' })
  await unit.client.changes.decide(persona, { outcome: 'reject', decidedBy: 'cli:ann', reason: 'Not now.' })
  await opened(page, 'approvals?show=decided', 'Set the instructions of dev-agent')
  await looksRight(page, 'decide-decided')
  await opened(page, 'mcp?add=1', 'NAME=value')
  await looksRight(page, 'decide-mcp')
  await opened(page, 'mcp/sample', 'Request revocation')
  await page.getByRole('button', { name: 'Probe' }).click()
  await page.getByRole('list', { name: 'Tools of sample' }).locator('summary').first().click()
  await looksRight(page, 'decide-server', 'every')
  assert.deepEqual(
    faults.filter((fault) => !fault.includes('404')),
    [],
  )
  await page.close()
})

/** Everything that is folded, and what was folded in it. */
const openAll = (page: Page): Promise<boolean> =>
  waitFor('all folds to be open', 30_000, async () => {
    const closed: unknown = await page.evaluate(
      `[...document.querySelectorAll('main details:not([open])')].map((fold) => (fold.open = true)).length`,
    )
    return closed === 0
  })

/** Text alone came of it: no element, no script, nothing that hides or reorders. */
const isPlain = async (page: Page, what: string): Promise<void> => {
  const found: unknown = await page.evaluate(
    `[...document.querySelectorAll('main img, main svg:not(.icon), main iframe, main script, main style, main a[href^="javascript"], main math')].length`,
  )
  assert.equal(found, 0, what)
  const text = await page.locator('main').innerText()
  assert.doesNotMatch(text, hiding, what)
  assert.notEqual(await page.title(), '1', what)
}

test('hostile text in every field is text and nothing more', { skip }, async (t: TestContext) => {
  const all = hostileTexts.join('\n')
  const tools = hostileTexts.map((text, index) => ({
    name: `tool_${index}`,
    description: text,
    inputSchema: { type: 'object', properties: { [text]: { type: text, description: text, enum: [text] } }, required: [text] },
  }))
  await declare('hostile', tools)
  await unit.client.servers.put('hostile-remote', { transport: 'http', url: 'https://a.example/<script>alert(1)</script>', headers: {} })
  const longest = (length: number): string => all.slice(0, length)
  const users = new Set(hostileTexts.map((text) => text.trim().slice(0, 250)).filter((text) => text !== ''))
  const members = [...users].map((user) => ({ channel: 'slack', user }))
  const places: [path: string, until: string][] = [
    [`changes/${await submit('persona', { instructions: all }, { reason: longest(4000), requestedBy: longest(120) })}`, 'unchanged'],
    [`changes/${await submit('mcp_access', { server: 'hostile', tools: tools.map(({ name }) => name) })}`, 'tool_0'],
    [`changes/${await submit('permissions', { members })}`, 'Members'],
    [
      `changes/${await submit('wiring', { channel: 'slack', address: longest(250), engage: 'pattern', pattern: '<b>.*\u202e', session: 'shared' })}`,
      'Pattern',
    ],
    ['approvals', 'Connect dev-agent to slack'],
    [`approvals?group=${encodeURIComponent(hostileTexts[1] ?? '')}&by=${encodeURIComponent(hostileTexts[4] ?? '')}`, 'asked'],
    ['mcp', 'hostile-remote'],
    [`mcp/${encodeURIComponent(hostileTexts[0] ?? '')}`, 'There is no tool server'],
    [`changes/${encodeURIComponent(hostileTexts[0] ?? '')}`, 'not found, or you may not see it'],
    ['mcp/hostile', 'Grants'],
  ]
  const { page, faults } = await enter(browser, { unit, token, path: 'approvals' })
  for (const [path, until] of places) {
    await goTo(page, path)
    if (!path.includes('?')) await page.getByText(until).first().waitFor()
    await openAll(page)
    await isPlain(page, path)
  }
  await page.getByRole('button', { name: 'Probe' }).click()
  const list = page.getByRole('list', { name: 'Tools of hostile' })
  await list.getByText('tool_0').first().waitFor()
  for (const index of [0, 40, 80, tools.length - 1]) await list.locator('summary').nth(index).click()
  await isPlain(page, 'tools')
  assert.deepEqual(
    faults.filter((fault) => !/40[04]|422/.test(fault)),
    [],
  )
  t.diagnostic(`${hostileTexts.length} texts on ${places.length} places`)
  await page.close()
})

/** Counts frames that took longer than 50 ms while something is done. */
const longFrames = async (page: Page, act: () => Promise<void>): Promise<number> => {
  await page.evaluate(
    `window.long = []; window.watch = new PerformanceObserver((list) => window.long.push(...list.getEntries().map(({ duration }) => duration))); window.watch.observe({ type: 'longtask' })`,
  )
  await act()
  return Number(await page.evaluate(`(window.watch.disconnect(), window.long.length)`))
}

const scroll = async (page: Page): Promise<void> => {
  for (let step = 0; step < 20; step += 1) await page.mouse.wheel(0, 600)
}

test('two hundred tools with large schemas can be read, searched and chosen from', { skip }, async (t: TestContext) => {
  const properties = Object.fromEntries(
    Array.from({ length: 60 }, (_, index) => [`field_${index}`, { type: 'string', description: 'Words about it. '.repeat(8) }]),
  )
  const tools = Array.from({ length: 200 }, (_, index) => ({
    name: `large_${index}`,
    description: `Does the thing number ${index}. `.repeat(6),
    inputSchema: { type: 'object', properties },
  }))
  await declare('large', tools)
  const { page, faults } = await enter(browser, { unit, token, path: 'mcp/large' })
  await page.getByRole('button', { name: 'Probe' }).click()
  const list = page.getByRole('list', { name: 'Tools of large' })
  await list.getByText('large_199').first().waitFor()
  const long = await longFrames(page, async () => {
    await scroll(page)
    await page.getByLabel('Find a tool').pressSequentially('large_17')
  })
  assert.equal(await list.getByRole('listitem').count(), 11)
  await list.locator('summary').first().click()
  await list.getByText('field_59').first().waitFor()
  t.diagnostic(`${tools.length} tools: ${long} tasks over 50 ms while scrolling and typing`)
  assert.deepEqual(faults, [])
  await page.close()
})

const many = full ? 500 : 120

test(`${many} held changes can be read, filtered and decided one after the other`, { skip }, async (t: TestContext) => {
  for (let count = 0; count < many; count += 20)
    await Promise.all(Array.from({ length: 20 }, (_, index) => submit('persona', { instructions: `Number ${count + index}.` })))
  const { page, faults } = await enter(browser, { unit, token, path: 'approvals?kind=persona' })
  const rows = page.getByRole('list', { name: 'Pending changes' }).getByRole('listitem')
  await rows.first().waitFor()
  const long = await longFrames(page, async () => {
    while ((await rows.count()) < many) {
      const before = await rows.count()
      await page.getByRole('button', { name: 'Load more' }).click()
      await rows.nth(before).waitFor()
    }
    await scroll(page)
  })
  t.diagnostic(`${await rows.count()} rows: ${long} tasks over 50 ms while loading and scrolling`)
  await page.getByRole('combobox', { name: 'Filter' }).fill('risk high')
  await page.keyboard.press('Enter')
  await page.getByText('No change matches these filters.').waitFor()
  await page.goBack()
  await rows.first().getByRole('link').click()
  await page.getByRole('button', { name: 'Reject' }).click()
  await page.locator('.desk').getByText('rejected').waitFor()
  await page.keyboard.press('n')
  await page.getByRole('button', { name: 'Approve exactly this' }).waitFor()
  assert.deepEqual(faults, [])
  await page.close()
})
