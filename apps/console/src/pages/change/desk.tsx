// Where the word is given: what is still needed, who may not and why, and approve or reject with a reason.
import type { ChangeView } from '@gatehouse/contracts'
import { useUnit } from '../../unit/unit.ts'
import { Decide } from './decide.tsx'
import { Ended } from './ended.tsx'
import { Next } from './next.tsx'
import type { Seen } from './seen.ts'

interface DeskProps {
  readonly change: ChangeView
  readonly seen: Seen
  readonly refresh: () => void
}

const Needed = ({ change: { approvals, decisions, digest } }: { readonly change: ChangeView }) => {
  const approved = decisions.filter((decision) => decision.outcome === 'approve' && decision.digest === digest)
  const names = new Set(approved.map(({ principal }) => principal))
  if (approvals.needed < 2) return <p class="soft">One approval is needed.</p>
  return (
    <p>
      <strong>
        {approvals.given} of {approvals.needed} approvals
      </strong>
      {approvals.given > 0 && names.size <= approvals.given && `, by ${[...names].join(', ')}`}. They must come from different people, none
      of whom asked for it.
    </p>
  )
}

export const Desk = ({ change, seen, refresh }: DeskProps) => {
  const { status } = useUnit()
  const isHeld = change.state === 'held'
  return (
    <section class="desk card" aria-labelledby="decision">
      <h2 id="decision">{isHeld ? 'Your decision' : 'How it ended'}</h2>
      {isHeld ? (
        <>
          <Needed change={change} />
          <Decide change={change} seen={seen} refresh={refresh} status={status} />
        </>
      ) : (
        <Ended change={change} refresh={refresh} />
      )}
      <Next change={change} />
    </section>
  )
}
