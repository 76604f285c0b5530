// What decisions share: choosing a pending change at a terminal, and reading the effective access that it brings.
import type { Client } from '@gatehouse/client'
import { isServiceError, type Reach, ServiceError } from '@gatehouse/contracts'
import { readAllPages } from '../connection/pages.ts'
import { ask } from '../input/ask.ts'
import { byRisk, pendingColumns } from '../output/change-table.ts'
import { table } from '../output/table.ts'

interface Numbered {
  readonly number: number
}

/** The id of the pending change that a person chooses by its number. Throws where nobody can be asked. */
export const chooseChange = async (client: Client, canAsk: boolean): Promise<string> => {
  if (!canAsk) throw new ServiceError('invalid', { detail: 'no change given', hint: 'name one, such as @1 after svcctl change pending' })
  const changes = byRisk(await readAllPages((cursor) => client.changes.pending({ cursor }))).map((change, at) => ({
    ...change,
    number: at + 1,
  }))
  if (changes.length === 0) throw new ServiceError('not-found', { detail: 'nothing is pending', hint: 'svcctl change history' })
  const number = { name: '#', value: (row: Numbered) => String(row.number) }
  process.stderr.write(`${table([number, ...pendingColumns(changes)], changes, process.stderr)}\n`)
  const typed = await ask(changes.length === 1 ? 'Which change? [1] ' : `Which change? [1-${changes.length}] `)
  const chosen = changes.find((change) => String(change.number) === (typed === '' && changes.length === 1 ? '1' : typed))
  if (chosen !== undefined) return chosen.id
  throw new ServiceError('conflict', { detail: 'no change chosen, no changes made' })
}

/** Undefined where the unit cannot tell, which is no reason not to show the change. */
export const readReach = async (client: Client, id: string): Promise<Reach | undefined> => {
  try {
    return await client.changes.reach(id)
  } catch (error) {
    if (isServiceError(error)) return undefined
    throw error
  }
}
