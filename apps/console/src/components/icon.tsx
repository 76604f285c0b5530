// Icons of lucide (ISC). Only those imported here are in the bundle.
import type { Kind } from '@gatehouse/contracts'
import {
  Activity,
  Ban,
  Bot,
  Boxes,
  Check,
  ChevronRight,
  CircleCheck,
  CircleDashed,
  CircleX,
  Clock,
  Copy,
  FolderOpen,
  Gauge,
  History,
  type IconNode,
  ListChecks,
  LogOut,
  Menu,
  MessageSquare,
  PackagePlus,
  Plug,
  Radio,
  ScrollText,
  Search,
  Server,
  Settings,
  ShieldMinus,
  ShieldPlus,
  SlidersHorizontal,
  Snowflake,
  SquareTerminal,
  TriangleAlert,
  UserPen,
  UserRound,
  Wrench,
  X,
} from 'lucide'
import { createElement } from 'preact'

const icons = {
  overview: Gauge,
  approvals: ListChecks,
  chat: MessageSquare,
  agents: Bot,
  mcp: Plug,
  calls: Activity,
  sessions: SquareTerminal,
  audit: ScrollText,
  settings: Settings,
  agent_create: Bot,
  agent_remove: Ban,
  persona: UserPen,
  tools: Wrench,
  packages: PackagePlus,
  wiring: Radio,
  permissions: SlidersHorizontal,
  mounts: FolderOpen,
  mcp_access: ShieldPlus,
  mcp_revoke: ShieldMinus,
  mcp_register: Server,
  search: Search,
  freeze: Snowflake,
  person: UserRound,
  leave: LogOut,
  menu: Menu,
  close: X,
  copy: Copy,
  done: Check,
  right: ChevronRight,
  good: CircleCheck,
  bad: CircleX,
  pending: Clock,
  ended: CircleDashed,
  warning: TriangleAlert,
  history: History,
  boxes: Boxes,
} as const satisfies Readonly<Record<string, IconNode>>

type DrawnName = keyof typeof icons

/** A kind of change without an icon of its own has that of agents. */
export type IconName = DrawnName | Kind

const isDrawn = (name: IconName): name is DrawnName => Object.hasOwn(icons, name)

/** Decoration beside a word: hidden from screen readers. */
export const Icon = ({ name }: { readonly name: IconName }) => (
  <svg
    class="icon"
    viewBox="0 0 24 24"
    fill="none"
    stroke="currentColor"
    stroke-width="1.75"
    stroke-linecap="round"
    stroke-linejoin="round"
    aria-hidden="true"
  >
    {(isDrawn(name) ? icons[name] : icons.agents).map(([shape, attributes], place) => createElement(shape, { ...attributes, key: place }))}
  </svg>
)
