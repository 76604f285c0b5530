// One change by its id, to be decided.
import type { Change } from '@gatehouse/contracts'
import { useLive } from '../../live/use-live.ts'
import { ListFrame } from '../../parts/list-frame.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { ProblemNote } from '../../parts/problem-note.tsx'
import { useAct } from '../../parts/use-act.ts'
import { usePlace } from '../../router/use-place.ts'
import { useApi, useUnit } from '../../unit/unit.ts'
import { ChangeCard } from '../approvals/change-card.tsx'

export const ChangePage = () => {
  const api = useApi()
  const { status } = useUnit()
  const id = usePlace().rest[0] ?? ''
  const live = useLive((signal) => api.changes.show(id, { signal }), { of: [id], wants: ({ changeID }) => changeID === id })
  const act = useAct()
  const decide = async (change: Change, outcome: 'approve' | 'reject', reason: string): Promise<void> => {
    const decidedBy = `console:${status?.principal.name ?? 'operator'}`
    await act.run(() => api.changes.decide(change.id, { outcome, decidedBy, digest: change.digest, ...(reason !== '' && { reason }) }))
    live.refresh()
  }
  return (
    <>
      <PageHead title="Change" />
      {act.problem !== undefined && <ProblemNote problem={act.problem} />}
      <ListFrame live={live} count={1} empty="" group={live.data?.agentGroupID}>
        {live.data !== undefined && <ChangeCard change={live.data} decide={decide} />}
      </ListFrame>
    </>
  )
}
