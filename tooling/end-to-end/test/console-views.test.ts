// What the pages of one session, one tool server, one agent group and one conversation show at once.
// Profile: rest. The console in detail; console.test.ts does a round of its main acts.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { axeViolations } from '../src/browser.ts'
import { say } from '../src/chat.ts'
import { goTo, openConsole } from '../src/console-looks.ts'
import { openConsoleUnit } from '../src/console-unit.ts'

const { skip, token, unit, browser } = await openConsoleUnit()

test('a session shows its launch, messages, calls and changes in one order, and hides a kind on demand', { skip }, async () => {
  await say(unit, 'hello')
  await say(unit, 'tool:sample__echo {"text":"x"}')
  await say(unit, 'request:mcp_access {"server":"sample","tools":["echo"]}')
  const session = (await unit.client.sessions.list()).items[0]?.id ?? ''
  const { page, faults } = await openConsole(browser, unit, { token, path: `sessions/${session}` })
  const events = page.getByRole('list', { name: 'Events of the session' })
  for (const shown of [
    'Sandbox launched',
    'Message to the agent hello',
    'Answer of the agent echo: hello',
    'Called sample echo',
    'Change requested by agent:dev-agent',
  ])
    await events.getByRole('listitem').filter({ hasText: shown }).first().waitFor()
  const texts = await events.getByRole('listitem').allInnerTexts()
  const placeOf = (words: string): number => texts.findIndex((text) => text.includes(words))
  assert.ok(placeOf('Message to the agent') < placeOf('Called sample'))
  assert.ok(placeOf('Called sample') < placeOf('Change requested'))

  const chip = page.getByRole('button', { name: /^Messages/ })
  await chip.click()
  await events.getByText('Message to the agent').first().waitFor({ state: 'detached' })
  assert.equal(await chip.getAttribute('aria-pressed'), 'false')
  assert.match(page.url(), /hide=messages/)
  await page.getByRole('button', { name: 'Oldest first' }).click()
  await events.getByRole('listitem').first().getByText('Change requested').waitFor()
  assert.deepEqual([...(await axeViolations(page)), ...faults], [])
  await goTo(page, 'sessions')
  await page.close()
})
