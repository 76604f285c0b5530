// The console as a person uses it: signed in, on a page, looked at.
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { openPage, type Watched } from './browser.ts'
import { release, type Unit } from './unit.ts'

const pictures = join(release, 'pictures')
const full = process.env['GATEHOUSE_PROFILE'] === 'full'

/** For people to look at, in the full profile alone. */
export const takePicture = async (page: Page, name: string): Promise<void> => {
  if (!full) return
  await mkdir(pictures, { recursive: true })
  await page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true })
}

const signIn = async (page: Page, token: string): Promise<void> => {
  await page.getByLabel('Admin token').fill(token)
  await page.getByRole('checkbox', { name: 'Remember' }).check()
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('navigation', { name: 'Pages' }).waitFor({ state: 'attached' })
}

/** Signed in, on the page at this path below /ui/. */
export const openConsole = async (
  browser: Browser,
  unit: Unit,
  at: { readonly token: string; readonly path?: string },
): Promise<Watched> => {
  const watched = await openPage(browser, `${unit.address}/ui/${at.path ?? ''}`)
  watched.page.setDefaultTimeout(30_000)
  await signIn(watched.page, at.token)
  return watched
}

/** A list that is there, or says why it is not. */
export const settled = async (page: Page): Promise<void> => {
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.locator('[data-state="loading"]').first().waitFor({ state: 'detached' })
}

/** Another place without a load, as a link goes there. */
export const goTo = async (page: Page, path: string): Promise<void> => {
  await page.evaluate(`history.pushState(null, '', ${JSON.stringify(`/ui/${path}`)}); dispatchEvent(new PopStateEvent('popstate'))`)
  await settled(page)
}
