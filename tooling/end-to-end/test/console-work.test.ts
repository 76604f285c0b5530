// Working at the console: by keys alone, with a token that is taken away, with a process that ends.
// Profile: rest. The console by keys and through faults; console.test.ts does a round of its main acts.
import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { openPage } from '../src/browser.ts'
import { goTo, openConsole, settled, takePicture } from '../src/console-looks.ts'
import { messageLog, openConsoleUnit } from '../src/console-unit.ts'
import { release } from '../src/unit.ts'
import { waitFor } from '../src/wait-for.ts'

const { skip, token, unit, browser } = await openConsoleUnit()

test('scripts take at most 110 kB and styles at most 15 kB, compressed', { skip }, async () => {
  const folder = join(release, 'console/assets')
  const sizeOf = async (ending: string): Promise<number> => {
    const names = (await readdir(folder)).filter((name) => name.endsWith(ending))
    assert.ok(names.length > 0)
    const sizes = await Promise.all(names.map(async (name) => gzipSync(await readFile(join(folder, name)), { level: 9 }).length))
    return sizes.reduce((sum, size) => sum + size, 0)
  }
  const [scripts, styles] = await Promise.all([sizeOf('.js'), sizeOf('.css')])
  assert.ok(scripts <= 110_000, `${scripts} bytes of scripts`)
  assert.ok(styles <= 15_000, `${styles} bytes of styles`)
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
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).getByText('Go to Chat').waitFor()
  await takePicture(page, 'keys')
  await keys('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })

  await keys('g', 'c')
  await page.getByLabel('Message', { exact: true }).waitFor()
  for (let presses = 0; presses < 60 && (await page.evaluate('document.activeElement?.id')) !== 'text'; presses += 1) await keys('Tab')
  await page.keyboard.type('by keys')
  await keys('Enter')
  await messageLog(page).getByText('echo: by keys').waitFor()

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
  await messageLog(page).getByText('echo: half a sentence').waitFor()
  await page.getByText('Live', { exact: true }).waitFor()
  await page.close()
})

test('a page that is loaded while the unit starts keeps its token, and goes on', { skip }, async () => {
  const { page } = await openConsole(browser, unit, { token })
  const away = { type: 'x', title: 'x', status: 503, detail: 'the gateway starts', code: 'unavailable', requestId: 'x' }
  await page.route('**/v1/status', (route) => route.fulfill({ status: 503, json: away }))
  await page.reload()
  await page.getByText('the gateway starts').waitFor()
  await page.unroute('**/v1/status')
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
  await page.close()
})

test('a role that may not act sees why', { skip }, async () => {
  const { token: auditor } = await unit.client.tokens.create({ name: 'carol', role: 'auditor' })
  const { page } = await openConsole(browser, unit, { token: auditor, path: 'settings' })
  await page.getByText('You are carol with the role auditor; this takes the role admin.').first().waitFor()
  await goTo(page, 'agents/new')
  await page.getByText('this takes the role requester').waitFor()
  assert.equal(await page.getByRole('button', { name: 'Request this group' }).isDisabled(), true)
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
  await messageLog(page).getByText('echo: not lost').waitFor()
  const { id } = await unit.client.changes.submit({ kind: 'persona', agentGroupID: 'dev-agent', after: { instructions: 'after the end' } })
  await page
    .getByRole('link', { name: /dev-agent/ })
    .first()
    .waitFor()
  await unit.client.changes.decide(id, { outcome: 'reject', decidedBy: 'test' })
  await messageLog(page).getByText('rejected').waitFor()
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
