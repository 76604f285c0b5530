// Which changes a list shows, and in which order. Pure functions.
import { type Change, McpAccess, visible } from '@gatehouse/contracts'
import * as v from 'valibot'
import { changeTitle } from '../../components/diff/change-title.ts'
import { readAs } from '../../components/read-as.ts'

export const sorts = ['risk', 'oldest', 'newest', 'expires'] as const
export type Sort = (typeof sorts)[number]

const risks = ['high', 'medium', 'low']
const Named = v.object({ server: McpAccess.entries.server })

/** The tool server that a change is about. */
export const serverOf = ({ after }: Pick<Change, 'after'>): string | undefined => readAs(Named, after)?.server

const byAge = (a: Change, b: Change): number => Date.parse(a.createdAt) - Date.parse(b.createdAt)
const expiryOf = ({ expiresAt }: Change): number => (expiresAt === undefined ? Infinity : Date.parse(expiresAt))

const orders: Readonly<Record<Sort, (a: Change, b: Change) => number>> = {
  risk: (a, b) => risks.indexOf(a.risk) - risks.indexOf(b.risk) || byAge(a, b),
  oldest: byAge,
  newest: (a, b) => byAge(b, a),
  expires: (a, b) => expiryOf(a) - expiryOf(b) || byAge(a, b),
}

export const sortChanges = (changes: readonly Change[], sort: Sort): readonly Change[] => changes.toSorted(orders[sort])

export interface ChangeFilter {
  readonly risk?: string | undefined
  readonly server?: string | undefined
  /** All of its words are in the title, the reason, the id, the group or the requester. */
  readonly find?: string | undefined
}

export const filterChanges = (changes: readonly Change[], { risk, server, find }: ChangeFilter): readonly Change[] => {
  const words = (find ?? '')
    .toLowerCase()
    .split(/\s+/u)
    .filter((word) => word !== '')
  return changes.filter((change) => {
    if (risk !== undefined && risk !== '' && change.risk !== risk) return false
    if (server !== undefined && server !== '' && serverOf(change) !== server) return false
    const text = visible(
      [changeTitle(change), change.reason ?? '', change.id, change.agentGroupID, change.requestedBy].join(' '),
    ).toLowerCase()
    return words.every((word) => text.includes(word))
  })
}
