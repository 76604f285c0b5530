// Takes the pictures: each page in both themes, some as narrow as a phone; those of the documents once more, in their size.
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { goTo, openConsole } from '../console-looks.ts'
import { openPage } from '../browser.ts'
import { release, root } from '../unit.ts'
import { madeUpHour } from './hour.ts'
import { type Scene, token } from './scene.ts'
import { type Shot, shotsOf } from './shots.ts'

const folder = join(release, 'pictures')
const documents = join(root, 'docs/assets/pictures')
const themes = ['light', 'dark'] as const
const wide = { width: 1280, height: 800 }
const shownAs: typeof wide = { width: 1280, height: 720 }
const narrow: typeof wide = { width: 320, height: 700 }

/** What moves is at its end, what is told once is gone, and nothing is under the pointer. */
const still = async (page: Page): Promise<void> => {
  await page.mouse.move(0, 0)
  await page.evaluate(`document.fonts.ready`)
}

const keep = async (page: Page, path: string): Promise<void> => {
  await still(page)
  await page.screenshot({ path, animations: 'disabled' })
}

/** A window in which the whole page is seen: what stands at its side goes down to the end. */
const fit = async (page: Page, { width, height }: typeof wide): Promise<void> => {
  await page.setViewportSize({ width, height })
  const whole = Number(await page.evaluate('document.documentElement.scrollHeight'))
  await page.setViewportSize({ width, height: Math.min(Math.max(height, whole), 3_000) })
}

const take = async (page: Page, { name, path, act, narrow: also, shown }: Shot): Promise<void> => {
  await page.setViewportSize(wide)
  await goTo(page, path)
  await act?.(page)
  for (const theme of themes) {
    await page.emulateMedia({ colorScheme: theme })
    await fit(page, wide)
    await keep(page, join(folder, `${name}-${theme}.png`))
    if (shown !== theme) continue
    await page.setViewportSize(shownAs)
    await keep(page, join(documents, `${name}.png`))
  }
  if (also !== true) return
  await fit(page, narrow)
  await keep(page, join(folder, `${name}-phone.png`))
}

const signIn = async (browser: Browser, scene: Scene): Promise<void> => {
  const { page } = await openPage(browser, `${scene.unit.address}/ui/`)
  await page.getByLabel('Admin token').waitFor()
  for (const theme of themes) {
    await page.emulateMedia({ colorScheme: theme })
    await keep(page, join(folder, `sign-in-${theme}.png`))
  }
  await page.close()
}

/** Where each picture is, and what went wrong on its page. */
export const takeAll = async (browser: Browser, scene: Scene, wanted: readonly string[]): Promise<string[]> => {
  await mkdir(folder, { recursive: true })
  const wrong: string[] = []
  if (wanted.length === 0) await signIn(browser, scene)
  for (const shot of shotsOf(scene).filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
    const { page, faults } = await openConsole(browser, scene.unit, { token, path: 'settings' })
    await page.route('**/v1/status/history', (route) => route.fulfill({ json: madeUpHour(Date.now()) }))
    await take(page, shot)
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await page.close()
    wrong.push(...faults.filter((fault) => !/status of (?:404|500)|ERR_FAILED/.test(fault)).map((fault) => `${shot.name}: ${fault}`))
  }
  return wrong
}
