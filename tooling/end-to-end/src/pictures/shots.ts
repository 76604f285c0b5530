// Every page of the console and its main states, by name: where it is, and what is done there before it is looked at.
import type { Page } from 'playwright-core'
import type { Scene } from './scene.ts'

export interface Shot {
  readonly name: string
  /** Below /ui/. */
  readonly path: string
  readonly act?: (page: Page) => Promise<void>
  /** Also at the width of a phone. */
  readonly narrow?: true
  /** Shown in the documents, in this theme. */
  readonly shown?: 'light' | 'dark'
}

const press = (name: string) => (page: Page) => page.getByRole('button', { name, exact: true }).click()

const unfolded = async (page: Page): Promise<void> => {
  await page.getByRole('list', { name: 'Tools of tickets' }).locator('summary').nth(3).click()
}

const opened = async (page: Page): Promise<void> => {
  for (const title of ['Built-in tools', 'Packages', 'Mounts', 'Channel'])
    await page.locator('summary').getByText(title, { exact: true }).click()
  await press('Add mount')(page)
}

const verified = async (page: Page): Promise<void> => {
  await press('Verify now')(page)
  await page.getByText('records verified').waitFor()
}

const stateOfList = (answer: 'loading' | 'failed' | 'offline') => async (page: Page) => {
  const problem = { type: 'about:blank', title: 'x', status: 500, detail: 'expected an answer, got none', code: 'internal', requestId: 'x' }
  await page.route('**/v1/agent-groups?*', (route) => {
    if (answer === 'loading') return undefined
    return answer === 'failed' ? route.fulfill({ status: 500, json: problem }) : route.abort()
  })
  await page.evaluate(`history.pushState(null, '', '/ui/agents'); dispatchEvent(new PopStateEvent('popstate'))`)
  await page.locator(`main [data-state="${answer}"]`).waitFor()
}

export const shotsOf = ({ high, text, session }: Scene): readonly Shot[] => [
  { name: 'overview', path: 'overview', act: (page) => page.locator('.plot canvas').nth(3).waitFor(), narrow: true, shown: 'light' },
  { name: 'approvals', path: 'approvals', narrow: true },
  { name: 'approvals-none', path: 'approvals?kind=mounts' },
  { name: 'decided', path: 'approvals?show=decided' },
  {
    name: 'change',
    path: `changes/${high}`,
    act: (page) => page.getByText('Can reach now').waitFor(),
    narrow: true,
    shown: 'light',
  },
  { name: 'change-text', path: `changes/${text}`, narrow: true },
  { name: 'change-gone', path: 'changes/chg_20200101000000.000000000' },
  { name: 'chat', path: 'chat/support', act: (page) => page.getByText('I may read tickets').waitFor(), narrow: true, shown: 'dark' },
  { name: 'chat-new', path: 'chat/dev-agent' },
  { name: 'agents', path: 'agents', narrow: true },
  { name: 'agent', path: 'agents/support', narrow: true },
  { name: 'agent-forms', path: 'agents/support', act: opened, narrow: true },
  { name: 'agent-new', path: 'agents/new' },
  { name: 'mcp', path: 'mcp', narrow: true },
  { name: 'mcp-add', path: 'mcp?add=1' },
  { name: 'server', path: 'mcp/tickets', act: unfolded, narrow: true, shown: 'light' },
  { name: 'calls', path: 'calls', act: (page) => page.locator('[data-row]').first().waitFor(), narrow: true },
  { name: 'calls-models', path: 'calls?show=models', act: (page) => page.locator('[data-row]').first().waitFor() },
  { name: 'sessions', path: 'sessions', narrow: true },
  { name: 'session', path: `sessions/${session}` },
  { name: 'session-gone', path: 'sessions/ses_aaaaaaaaaaaaa' },
  { name: 'audit', path: 'audit', act: verified, narrow: true },
  { name: 'audit-line', path: 'audit?stage=approve', act: (page) => page.locator('[data-row] button').first().click() },
  { name: 'settings', path: 'settings', narrow: true },
  { name: 'nowhere', path: 'no-such-page' },
  {
    name: 'keys',
    path: 'approvals',
    act: async (page) => {
      await page.keyboard.press('?')
      await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
    },
  },
  { name: 'list-loading', path: 'overview', act: stateOfList('loading') },
  { name: 'list-failed', path: 'overview', act: stateOfList('failed') },
  { name: 'list-offline', path: 'overview', act: stateOfList('offline') },
]
