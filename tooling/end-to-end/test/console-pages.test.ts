// The pages of the console in a real browser, empty and full, in both themes and at three widths.
// Profile: rest. A matrix of pages, themes and widths.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { axeViolations } from '../src/browser.ts'
import { say } from '../src/chat.ts'
import { goTo, openConsole, settled, takePicture } from '../src/console-looks.ts'
import { openConsoleUnit } from '../src/console-unit.ts'
import { waitFor } from '../src/wait-for.ts'

const { skip, token, unit, browser } = await openConsoleUnit()

const decideOn = (id: string) => unit.client.changes.decide(id, { outcome: 'approve', decidedBy: 'test' })

interface Look {
  readonly width: 320 | 768 | 1440
  readonly theme: 'light' | 'dark'
}

const both = [320, 768, 1440].flatMap((width) => (['light', 'dark'] as const).map((theme) => ({ width, theme }) as Look))

/** Every way in the full profile; else each page in both themes and at two widths, its neighbours at others. */
const looksOf = (place: number): readonly Look[] =>
  process.env['GATEHOUSE_PROFILE'] === 'full'
    ? both
    : both.filter((_look, index) =>
        [
          [0, 5],
          [1, 2],
          [3, 4],
        ][place % 3]?.includes(index),
      )

/** Whether the page fits in every way, and keeps the rules in these; what is wrong with it, by name. */
const lookAt = async (page: Page, name: string, looks: readonly Look[]): Promise<string[]> => {
  const wrong: string[] = []
  for (const look of both) {
    const { width, theme } = look
    await page.setViewportSize({ width, height: 900 })
    await page.emulateMedia({ colorScheme: theme })
    const where = `${name} ${theme} ${width}`
    const wide = Number(await page.evaluate('document.documentElement.scrollWidth'))
    if (wide > width) wrong.push(`${where}: ${wide} px wide`)
    if (!looks.includes(look)) continue
    wrong.push(...(await axeViolations(page)).map((violation) => `${where}: ${violation}`))
    await takePicture(page, `${name}-${theme}-${width}`)
  }
  return wrong
}

const ends = both.filter(({ width, theme }) => (width === 320 && theme === 'dark') || (width === 1440 && theme === 'light'))

test('pages with nothing on them say so, break no rule and fit', { skip }, async () => {
  const { page, faults } = await openConsole(browser, unit, { token })
  await page.route('**/v1/agent-groups?*', (route) => route.fulfill({ json: { items: [] } }))
  await page.route('**/v1/status/history', (route) => route.fulfill({ json: { every: 10, samples: [] } }))
  await settled(page)
  const wrong: string[] = []
  for (const path of ['overview', 'chat', 'agents', 'sessions', 'audit?stage=purge', 'settings']) {
    await goTo(page, path)
    await page.locator('[data-state="empty"]').first().waitFor()
    wrong.push(...(await lookAt(page, `${path.split('?')[0]}-empty`, ends)))
  }
  assert.deepEqual([...wrong, ...faults], [])
  await page.close()
})

test('pages with everything on them break no rule and fit, in both themes and at three widths', { skip, timeout: 120_000 }, async () => {
  await say(unit, 'hello')
  await say(unit, 'tool:sample__echo {"text":"x"}')
  await say(unit, 'request:mcp_access {"server":"sample","tools":["echo"]}')
  const created = await unit.client.changes.submit({
    kind: 'agent_create',
    agentGroupID: 'writer',
    after: { id: 'writer', name: 'Writer', agent: 'mock', persona: 'Write short sentences.' },
  })
  await decideOn(created.id)
  const granted = await unit.client.changes.submit({
    kind: 'mcp_access',
    agentGroupID: 'writer',
    after: { server: 'sample', tools: ['echo', 'add'] },
  })
  await decideOn(granted.id)
  await unit.client.tokens.create({ name: 'alice', role: 'approver' })
  await unit.client.freezes.freeze({ agentGroupID: 'writer', reason: 'being looked at' })
  await waitFor('a sample of the last hour', 30_000, async () => (await unit.client.history()).samples.length > 0)
  const session = (await unit.client.sessions.list()).items[0]?.id ?? ''

  const { page, faults } = await openConsole(browser, unit, { token })
  const wrong: string[] = []
  const paths = [
    'overview',
    'chat/dev-agent',
    'agents',
    'agents/writer',
    'agents/new',
    'calls',
    'sessions',
    `sessions/${session}`,
    'audit',
    'settings',
  ]
  for (const [place, path] of paths.entries()) {
    await goTo(page, path)
    if (path === 'overview') await page.locator('.plot canvas').nth(3).waitFor()
    wrong.push(...(await lookAt(page, path.replace(session, 'one').replace('/', '-'), looksOf(place))))
  }
  await unit.client.freezes.unfreeze({ agentGroupID: 'writer', reason: 'looked at' })
  assert.deepEqual([...wrong, ...faults], [])
  await page.close()
})

test('a list says when it loads, fails, is away and is frozen', { skip }, async () => {
  const { page } = await openConsole(browser, unit, { token, path: 'sessions' })
  await settled(page)
  const states: string[] = []
  const answer = async (state: string, act: Parameters<Page['route']>[1]): Promise<void> => {
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await page.route('**/v1/agent-groups?*', act)
    await page.reload()
    await goTo(page, 'overview')
    await page.evaluate(`history.pushState(null, '', '/ui/agents'); dispatchEvent(new PopStateEvent('popstate'))`)
    await page.locator(`main [data-state="${state}"]`).waitFor()
    await takePicture(page, `list-${state}`)
    states.push(...(await axeViolations(page)))
  }
  const problem = {
    type: 'about:blank',
    title: 'Internal error',
    status: 500,
    detail: 'expected an answer, got none',
    code: 'internal',
    requestId: 'x',
  }
  await answer('loading', () => undefined)
  await answer('failed', (route) => route.fulfill({ status: 500, json: problem }))
  await answer('offline', (route) => route.abort())
  await unit.client.freezes.freeze({ reason: 'a drill' })
  await answer('ready', (route) => route.continue())
  await page.locator('[data-frozen]').getByText('a drill').waitFor()
  await takePicture(page, 'list-frozen')
  await unit.client.freezes.unfreeze({ reason: 'over' })
  await page.locator('[data-frozen]').waitFor({ state: 'detached' })
  assert.deepEqual(states, [])
  await page.close()
})
