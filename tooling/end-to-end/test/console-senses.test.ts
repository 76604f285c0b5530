// The console for those who need more contrast, colours of their own, or nothing that moves.
// Profile: rest. A matrix of pages and preferences of a browser.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { axeViolations, browserLacks, openBrowser } from '../src/browser.ts'
import { say } from '../src/chat.ts'
import { goTo, openConsole, takePicture } from '../src/console-looks.ts'
import { startUnit, type Unit } from '../src/unit.ts'

const token = 'f'.repeat(64)
const skip = browserLacks()
const full = process.env['GATEHOUSE_PROFILE'] === 'full'
let unit: Unit
let browser: Browser
let paths: readonly string[]

before(async () => {
  if (skip !== false) return
  unit = await startUnit({ flags: ['--dev', '--sandbox', 'none'], env: { SERVICE_API_TOKEN: token }, token })
  browser = await openBrowser()
  await say(unit, 'tool:sample__echo {"text":"x"}')
  const { id } = await unit.client.changes.submit({
    kind: 'mcp_access',
    agentGroupID: 'dev-agent',
    after: { server: 'sample', tools: [] },
    reason: 'To be looked at.',
  })
  const pages = ['overview', 'approvals', `changes/${id}`, 'chat/dev-agent', 'agents', 'agents/dev-agent', 'mcp', 'mcp/sample']
  paths = [...pages, 'sessions', 'audit', 'settings']
})
after(async () => {
  await browser?.close()
  await unit?.dispose()
})

interface Walk {
  readonly name: string
  /** Every second page from here on, where there is no time for all. */
  readonly from: 0 | 1
  readonly look: () => Promise<readonly string[]>
}

/** What is wrong on the pages, by their names. */
const walk = async (page: Page, { name, from, look }: Walk): Promise<string[]> => {
  const wrong: string[] = []
  for (const path of paths.filter((_path, place) => full || place % 2 === from)) {
    await goTo(page, path)
    wrong.push(...(await look()).map((what) => `${path}: ${what}`))
    if (full) await takePicture(page, `${name}-${path.replace(/\/chg_.*/, '').replace('/', '-')}`)
  }
  return wrong
}

const enhanced = (page: Page) => axeViolations(page, 'color-contrast-enhanced')

test('with more contrast every text stands out seven to one, in both themes', { skip }, async () => {
  const { page, faults } = await openConsole(browser, unit, { token })
  await page.emulateMedia({ contrast: 'no-preference' })
  assert.notDeepEqual(await enhanced(page), [], 'the rule finds what is softer without it')
  for (const [from, colorScheme] of [
    [0, 'light'],
    [1, 'dark'],
  ] as const) {
    await page.emulateMedia({ contrast: 'more', colorScheme })
    assert.deepEqual(await walk(page, { name: `contrast-${colorScheme}`, from, look: () => enhanced(page) }), [])
  }
  assert.deepEqual(faults, [])
  await page.close()
})

test('more contrast can be had on one page, whatever the system says, and is kept', { skip }, async () => {
  const { page } = await openConsole(browser, unit, { token, path: 'settings' })
  await page.getByRole('group', { name: 'Contrast' }).getByRole('radio', { name: 'more' }).check()
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    assert.deepEqual(await enhanced(page), [])
  }
  await page.reload()
  await page.getByRole('group', { name: 'Contrast' }).waitFor()
  assert.equal(await page.locator(':root').getAttribute('data-contrast'), 'more')
  await page.close()
})

/** A value of the style that holds for an element, or with `::before` for what stands before it. */
const styleOf = (page: Page, selector: string, property: string): Promise<string> => {
  const [element = '', pseudo = ''] = selector.split('::')
  return page
    .locator(element)
    .first()
    .evaluate((node, [name, before]) => node.ownerDocument.defaultView?.getComputedStyle(node, before).getPropertyValue(name) ?? '', [
      property,
      pseudo === '' ? '' : `::${pseudo}`,
    ] as const)
}

test('with colours of the reader nothing is told by a colour of ours alone', { skip }, async () => {
  const { page, faults } = await openConsole(browser, unit, { token })
  await page.emulateMedia({ forcedColors: 'active' })
  assert.equal(await page.evaluate(`matchMedia('(forced-colors: active)').matches`), true)
  assert.deepEqual(await walk(page, { name: 'forced', from: 0, look: () => axeViolations(page) }), [])

  assert.notEqual(await styleOf(page, `nav a[aria-current='page']`, 'outline-style'), 'none', 'the page that is open')
  assert.equal(await styleOf(page, 'nav a:not([aria-current])', 'outline-style'), 'none')
  await page.locator('.connection.live').waitFor()
  const ground = await styleOf(page, 'body', 'background-color')
  assert.notEqual(await styleOf(page, '.connection::before', 'background-color'), ground, 'the lamp of the connection')
  await goTo(page, paths[2] ?? '')
  const edge = await styleOf(page, '.risk.high', 'border-top-style')
  assert.equal(edge, 'solid', 'the mark of a risk')
  await page.getByLabel('Reason (optional)').focus()
  await page.keyboard.press('Tab')
  assert.notEqual(await styleOf(page, ':focus', 'outline-style'), 'none', 'what has the focus')
  assert.deepEqual(faults, [])
  await page.close()
})

const moving = `document.getAnimations().filter(({ playState }) => playState === 'running').length`

/** A list that never comes: its place breathes. */
const openWaiting = async (motion: 'reduce' | 'no-preference'): Promise<Page> => {
  const { page } = await openConsole(browser, unit, { token })
  await page.emulateMedia({ reducedMotion: motion })
  await page.route('**/v1/agent-groups?*', () => undefined)
  await page.evaluate(`history.pushState(null, '', '/ui/agents'); dispatchEvent(new PopStateEvent('popstate'))`)
  await page.locator('.skeleton').first().waitFor()
  return page
}

test('with less motion nothing moves, where else it would', { skip }, async () => {
  const lively = await openWaiting('no-preference')
  await lively.waitForFunction(`${moving} > 0`)
  await lively.close()
  const calm = await openWaiting('reduce')
  assert.equal(await calm.evaluate(moving), 0)
  assert.equal(await styleOf(calm, 'button', 'transition-duration'), '0s')
  await calm.unrouteAll({ behavior: 'ignoreErrors' })
  await calm.close()
})
