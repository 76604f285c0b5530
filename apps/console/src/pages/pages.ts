// Every page: its path below /ui/, its name in the navigation, and the key that leads there.
import type { FunctionComponent } from 'preact'
import type { IconName } from '../components/icon.tsx'
import { Agents } from './agents/agents.tsx'
import { Approvals } from './approvals/approvals.tsx'
import { Audit } from './audit/audit.tsx'
import { Calls } from './calls/calls.tsx'
import { ChangePage } from './change/change-page.tsx'
import { Chat } from './chat/chat.tsx'
import { Servers } from './mcp/servers.tsx'
import { Overview } from './overview/overview.tsx'
import { Sessions } from './sessions/sessions.tsx'
import { Settings } from './settings/settings.tsx'

export interface PageRow {
  readonly page: string
  readonly title: string
  /** Pressed after `g`; absent for a page that the navigation does not show. */
  readonly key?: string
  readonly icon: IconName
  readonly Page: FunctionComponent
}

export const pages: readonly PageRow[] = [
  { page: 'overview', title: 'Overview', key: 'o', icon: 'overview', Page: Overview },
  { page: 'approvals', title: 'Approvals', key: 'a', icon: 'approvals', Page: Approvals },
  { page: 'changes', title: 'Change', icon: 'approvals', Page: ChangePage },
  { page: 'chat', title: 'Chat', key: 'c', icon: 'chat', Page: Chat },
  { page: 'agents', title: 'Agents', key: 'g', icon: 'agents', Page: Agents },
  { page: 'mcp', title: 'MCP', key: 'm', icon: 'mcp', Page: Servers },
  { page: 'calls', title: 'Calls', key: 'l', icon: 'calls', Page: Calls },
  { page: 'sessions', title: 'Sessions', key: 's', icon: 'sessions', Page: Sessions },
  { page: 'audit', title: 'Audit', key: 'j', icon: 'audit', Page: Audit },
  { page: 'settings', title: 'Settings', key: 't', icon: 'settings', Page: Settings },
]

/** The start is the overview. Undefined: there is no such page. */
export const findPage = (page: string): PageRow | undefined => pages.find((row) => row.page === (page === '' ? 'overview' : page))
