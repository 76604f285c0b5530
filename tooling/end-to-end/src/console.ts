// A person at the console, in words short enough for a test: signing in, going to a place, pressing what is there.
import type { Browser, Page } from 'playwright-core'
import { openPage, type Watched } from './browser.ts'
import type { Unit } from './unit.ts'

type Role = 'button' | 'link' | 'checkbox' | 'textbox' | 'radio'

export const signIn = async (page: Page, token: string): Promise<void> => {
  await page.getByLabel('Admin token').fill(token)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

/** Signed in, at a path below /ui/. */
export const enter = async (browser: Browser, { unit, token, path }: { unit: Unit; token: string; path: string }): Promise<Watched> => {
  const watched = await openPage(browser, `${unit.address}/ui/${path}`)
  await signIn(watched.page, token)
  await watched.page.locator('#main h1').waitFor()
  return watched
}

/** Within the page, without a load. */
export const goTo = async (page: Page, path: string): Promise<void> => {
  await page.evaluate(`history.pushState(null, '', '/ui/${path}'); dispatchEvent(new PopStateEvent('popstate'))`)
  await page.locator('#main h1').waitFor()
}

/** By Tab alone, as one without a mouse comes there. */
export const tabTo = async (page: Page, role: Role, name: string | RegExp): Promise<void> => {
  const target = page.getByRole(role, { name, ...(typeof name === 'string' && { exact: true }) }).first()
  await target.waitFor()
  for (let presses = 0; presses < 200; presses += 1) {
    if (await target.evaluate((element) => element === element.ownerDocument.activeElement)) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`Tab does not come to the ${role} ${String(name)}`)
}

/** The two keys of a shortcut, or one. */
export const press = async (page: Page, keys: string): Promise<void> => {
  for (const key of keys.split(' ')) await page.keyboard.press(key)
}
