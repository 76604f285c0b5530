// One change as a person looks at it: with how far it has come in each session.
import type { Change, ChangeView } from '@gatehouse/contracts'
import { readConditions } from './conditions.ts'
import type { ReadDeps } from './read.ts'

export const viewChange = async ({ store }: ReadDeps, change: Change): Promise<ChangeView> => ({
  ...change,
  conditions: await readConditions(store.read, change.id),
})
