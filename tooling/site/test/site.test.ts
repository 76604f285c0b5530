// The whole site, built: its links, its search, and what axe says of its pages in a real browser. In the full profile only.
import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import type { Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { axeViolations, browserLacks, openBrowser, openPage } from '@gatehouse/end-to-end/browser'
import { buildSite } from '../src/build.ts'
import { deadLinks, serveSite } from './fixtures/served.ts'

const root = join(import.meta.dirname, '../../..')
const isFull = process.env['GATEHOUSE_PROFILE'] === 'full'
const paths = [
  '/',
  '/documentation.html',
  '/tutorial.html',
  '/explanation/concepts.html',
  '/how-to/bare-host.html',
  '/reference/kinds.html',
]

suite('the site', { skip: !isFull && 'builds for minutes: in the full profile' }, () => {
  let site: string
  let server: Server
  let address: string
  before(async () => {
    site = mkdtempSync(join(tmpdir(), 'gatehouse-site-'))
    await buildSite(root, site)
    ;({ server, address } = await serveSite(site))
  })
  after(() => {
    server.close()
    rmSync(site, { recursive: true, force: true })
  })

  test('no link leads nowhere', () => {
    assert.ok(existsSync(join(site, 'reference/cli.html')))
    assert.deepEqual(deadLinks(site), [])
  })

  test('search finds a page by a word of its text', { skip: browserLacks() }, async () => {
    const browser = await openBrowser()
    try {
      const { page } = await openPage(browser, `${address}/`)
      await page.getByRole('button', { name: 'Search' }).first().click()
      await page.getByRole('searchbox').fill('two approvers')
      await page.getByRole('listbox').getByRole('option').first().waitFor()
      assert.match(await page.getByRole('listbox').innerText(), /Require two approvers/)
    } finally {
      await browser.close()
    }
  })

  test('pages break no rule of axe and report no fault', { skip: browserLacks() }, async () => {
    const browser = await openBrowser()
    try {
      for (const path of paths) {
        const { page, faults } = await openPage(browser, `${address}${path}`)
        await page.getByRole('heading', { level: 1 }).first().waitFor()
        assert.deepEqual(await axeViolations(page), [], path)
        assert.deepEqual(faults, [], path)
        await page.close()
      }
    } finally {
      await browser.close()
    }
  })
})
