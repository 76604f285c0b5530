// A real Chromium, and a page that remembers everything that went wrong on it.
import { existsSync } from 'node:fs'
import axe from 'axe-core'
import { chromium, type Browser, type Page } from 'playwright-core'

const executablePath = '/usr/bin/chromium'
const args = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** Why there is no browser here; in CI its absence is a failure. */
export const browserLacks = (): string | false => {
  if (existsSync(executablePath)) return false
  const reason = 'needs Chromium, install with: apt-get install -y chromium'
  if (process.env['CI'] === 'true') throw new Error(reason)
  return reason
}

export const openBrowser = (): Promise<Browser> => chromium.launch({ executablePath, args })

export interface Watched {
  readonly page: Page
  /** Console errors, page errors and refusals by the content policy. */
  readonly faults: string[]
}

export const openPage = async (browser: Browser, url: string): Promise<Watched> => {
  const page = await browser.newPage({ viewport: { width: 1100, height: 800 } })
  const faults: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().includes('401')) faults.push(`${message.text()} ${message.location().url}`)
  })
  page.on('pageerror', (error) => faults.push(String(error)))
  await page.goto(url)
  return { page, faults }
}

/** Rules of WCAG that the page breaks as it stands; of all that axe runs by itself, or of one that it does not. */
export const axeViolations = async (page: Page, rule?: string): Promise<string[]> => {
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(axe.source)
  const options = { resultTypes: ['violations'], ...(rule !== undefined && { runOnly: { type: 'rule', values: [rule] } }) }
  const found: unknown = await page.evaluate(
    `axe.run(${JSON.stringify(options)}).then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' ')))`,
  )
  return Array.isArray(found) ? found.map(String) : ['axe gave no answer']
}
