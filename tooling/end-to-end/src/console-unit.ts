// A unit without sandboxes and a browser that looks at its console, for all tests of a file.
import { after } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { browserLacks, openBrowser } from './browser.ts'
import { startUnit, type Unit } from './unit.ts'

export interface ConsoleUnit {
  /** Why the tests cannot run; false where they can. */
  readonly skip: string | false
  readonly token: string
  /** Absent, as the browser is, where the tests are skipped. */
  readonly unit: Unit
  readonly browser: Browser
}

/** Ended after the last test of the file. */
export const openConsoleUnit = async (): Promise<ConsoleUnit> => {
  const token = 'f'.repeat(64)
  const skip = browserLacks()
  if (skip !== false) return { skip, token, unit: undefined as never, browser: undefined as never }
  const unit = await startUnit({ flags: ['--dev', '--sandbox', 'none'], env: { SERVICE_API_TOKEN: token }, token })
  after(() => unit.dispose())
  const browser = await openBrowser()
  after(() => browser.close())
  return { skip, token, unit, browser }
}

/** The messages of a chat. */
export const messageLog = (page: Page) => page.getByRole('log', { name: 'Messages' })
