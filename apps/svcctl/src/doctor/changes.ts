// Changes that were approved and did not come to be, and those that wait for long.
import { isRetryable } from '@gatehouse/contracts'
import { wallMs } from '@gatehouse/kernel'
import { everyPage } from '../connection/every-page.ts'
import { type Check, pass, quoted, notAnswered, warn } from './check.ts'

const long = 3 * 24 * 3_600_000

export const changes: Check = {
  name: 'changes',
  run: async ({ unit, self }) => {
    const found = unit
    if (!found.reached) return [notAnswered]
    const { client } = found
    const [failed, held] = await Promise.all([
      everyPage((cursor) => client.changes.history({ cursor, state: 'apply_failed' }), 20),
      everyPage((cursor) => client.changes.pending({ cursor })),
    ])
    const late = held.filter(({ createdAt }) => wallMs() - Date.parse(createdAt) > long)
    const verdicts = [
      ...failed.map((change) =>
        warn(
          `${change.id} was approved and could not be applied: ${change.failure?.reason ?? 'no reason was given'}`,
          `svcctl change ${isRetryable(change) ? 'retry' : 'reject'} ${change.id} --by ${quoted(self)}`,
        ),
      ),
      ...late.map(({ id, createdAt }) =>
        warn(`${id} waits for a decision since ${createdAt}`, `svcctl change approve ${id} --by ${quoted(self)}`),
      ),
    ]
    return verdicts.length === 0 ? [pass(`${held.length} held, none waits for long`)] : verdicts
  },
}
