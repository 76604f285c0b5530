// Every page: its path below /ui/, its name in the navigation, and the key that leads there.
import type { FunctionComponent } from 'preact'
import { Approvals } from './approvals/approvals.tsx'
import { Audit } from './audit/audit.tsx'
import { ChangePage } from './change/change-page.tsx'
import { Chat } from './chat/chat.tsx'
import { Servers } from './mcp/servers.tsx'

export interface PageRow {
  readonly page: string
  readonly title: string
  /** Pressed after `g`; absent for a page that the navigation does not show. */
  readonly key?: string
  readonly Page: FunctionComponent
}

export const pages: readonly PageRow[] = [
  { page: 'approvals', title: 'Approvals', key: 'a', Page: Approvals },
  { page: 'changes', title: 'Change', Page: ChangePage },
  { page: 'chat', title: 'Chat', key: 'c', Page: Chat },
  { page: 'mcp', title: 'MCP', key: 'm', Page: Servers },
  { page: 'audit', title: 'Audit', key: 'j', Page: Audit },
]

/** The start is what waits. Undefined: there is no such page. */
export const findPage = (page: string): PageRow | undefined => pages.find((row) => row.page === (page === '' ? 'approvals' : page))
