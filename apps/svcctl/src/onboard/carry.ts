// Asks for a change and has it decided here, if whoever sits here may: shown first, and approved as it was shown.
import type { PendingWanted } from '@gatehouse/client'
import { type Change, isServiceError, type Kind } from '@gatehouse/contracts'
import { everyPage } from '../connection/every-page.ts'
import { carryOut } from '../declaration/carry-out.ts'
import { renderChange } from '../output/change.ts'
import type { Outcome, Tour } from './step.ts'

export interface Wish {
  readonly kind: Kind
  readonly group: string
  readonly after: Record<string, unknown>
  /** What will be so. */
  readonly outcome: string
}

const waits = ({ outcome }: Wish, id: string): Outcome => ({
  state: 'waits',
  detail: `${outcome}, once it is approved`,
  type: `svcctl change approve ${id} --by NAME`,
})

/** Asked for in an earlier run. What others asked for is theirs to be looked at: with `--yes` nobody would. */
export const ownOf = async ({ client, self, status }: Tour, wanted: PendingWanted): Promise<Change[]> => {
  const { principal } = await status()
  const held = await everyPage((cursor) => client.changes.pending({ ...wanted, cursor }))
  return held.filter((change) => change.principal === principal.name && change.requestedBy === `cli:${self}`)
}

/** What was asked for in an earlier run is not asked for again. */
const submit = async (tour: Tour, { kind, group, after }: Wish): Promise<string | undefined> => {
  const { client, self } = tour
  const held = await ownOf(tour, { agentGroupID: group })
  const { changeID } = await carryOut(
    { kind, group, before: null, after },
    { client, held, requestedBy: `cli:${self}`, reason: 'first run', approver: undefined },
  )
  return changeID
}

export const carry = async (tour: Tour, wish: Wish): Promise<Outcome> => {
  if (tour.dryRun) return { state: 'would', detail: `would ask for this and have you approve it: ${wish.outcome}` }
  const id = await submit(tour, wish)
  if (id === undefined) return { state: 'left', detail: wish.outcome }
  const change = await tour.client.changes.show(id)
  if (change.state === 'applied') return { state: 'now', detail: wish.outcome }
  tour.show(renderChange(change, process.stderr))
  if (!(await tour.confirm(`Approve ${id}?`))) return waits(wish, id)
  try {
    const { state } = await tour.client.changes.decide(id, { outcome: 'approve', decidedBy: tour.self, digest: change.digest })
    return state === 'applied' ? { state: 'now', detail: wish.outcome } : waits(wish, id)
  } catch (error) {
    // Another pair of eyes is asked for: that is no failure.
    if (isServiceError(error) && (error.code === 'self-approval' || error.code === 'forbidden')) return waits(wish, id)
    throw error
  }
}
