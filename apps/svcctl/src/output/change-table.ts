// Columns of lists of changes, and the order in which they are decided.
import type { Change, ChangeState, Risk } from '@gatehouse/contracts'
import { age, relative, shortIDs } from './values.ts'
import type { Column, Style } from './table.ts'

export const riskStyles = { high: ['bold', 'red'], medium: 'yellow', low: 'green' } satisfies Record<Risk, Style>

export const stateStyles = {
  held: 'yellow',
  applied: 'green',
  approved: 'green',
  refused: 'red',
  rejected: 'red',
  withdrawn: 'gray',
  expired: 'gray',
  apply_failed: 'red',
} satisfies Record<ChangeState, Style>

const kind: Column<Change> = { name: 'KIND', value: (change) => change.kind }
const group: Column<Change> = { name: 'GROUP', value: (change) => change.agentGroupID }
const requestedBy: Column<Change> = { name: 'REQUESTED-BY', value: (change) => change.requestedBy, flexible: true }
const created: Column<Change> = { name: 'AGE', value: (change) => age(change.createdAt), plain: (change) => change.createdAt }

const idOf = (changes: readonly Change[]): Column<Change> => {
  const short = shortIDs(changes.map(({ id }) => id))
  return { name: 'ID', value: ({ id }) => short(id), plain: ({ id }) => id }
}

export const pendingColumns = (changes: readonly Change[]): Column<Change>[] => [
  idOf(changes),
  kind,
  group,
  requestedBy,
  created,
  { name: 'RISK', value: ({ risk }) => risk, style: ({ risk }) => riskStyles[risk] },
  {
    name: 'EXPIRES',
    value: ({ expiresAt }) => (expiresAt === undefined ? '-' : relative(expiresAt)),
    plain: ({ expiresAt }) => expiresAt ?? '-',
    drop: 1,
  },
  { name: 'SUMMARY', value: ({ summary }) => summary, flexible: true, below: true },
]

export const historyColumns = (changes: readonly Change[]): Column<Change>[] => [
  idOf(changes),
  kind,
  group,
  { name: 'STATE', value: ({ state }) => state, style: ({ state }) => stateStyles[state] },
  { ...requestedBy, drop: 2 },
  { name: 'DECIDED-BY', value: ({ decisions }) => decisions.map(({ by }) => by).join(', '), flexible: true, drop: 1 },
  created,
]

const weight = { high: 0, medium: 1, low: 2 } as const

/** The highest risk first; of one risk, the oldest. */
export const byRisk = (changes: readonly Change[]): Change[] =>
  changes.toSorted((a, b) => weight[a.risk] - weight[b.risk] || (a.id < b.id ? -1 : 1))
