// Columns of lists of changes.
import type { Change } from '@gatehouse/contracts'
import { age } from './age.ts'
import type { Column } from './table.ts'

const id: Column<Change> = { name: 'ID', value: (change) => change.id }
const kind: Column<Change> = { name: 'KIND', value: (change) => change.kind }
const group: Column<Change> = { name: 'GROUP', value: (change) => change.agentGroupID }
const state: Column<Change> = { name: 'STATE', value: (change) => change.state }
const requestedBy: Column<Change> = { name: 'REQUESTED-BY', value: (change) => change.requestedBy, flexible: true }
const decidedBy: Column<Change> = {
  name: 'DECIDED-BY',
  value: (change) => change.decisions.map((decision) => decision.by).join(', '),
  flexible: true,
}
const made: Column<Change> = { name: 'AGE', value: (change) => age(change.createdAt), plain: (change) => change.createdAt }

export const pendingColumns: readonly Column<Change>[] = [id, kind, group, requestedBy, made]
export const historyColumns: readonly Column<Change>[] = [id, kind, group, state, requestedBy, decidedBy, made]
