// One change, for the person who decides it: what is asked, what would be different, what is known, what it means, and the word.
import { type ChangeView, isServiceError, visible } from '@gatehouse/contracts'
import { useLive } from '../../live/use-live.ts'
import { FrozenNote, ListFrame } from '../../parts/list-frame.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { Untrusted } from '../../parts/untrusted.tsx'
import { When } from '../../parts/when.tsx'
import { Link } from '../../router/link.tsx'
import { usePlace } from '../../router/use-place.ts'
import { useApi } from '../../unit/unit.ts'
import { Desk } from './desk.tsx'
import { EvidencePart, useEvidence } from './evidence.tsx'
import { ChangeDiff } from '../../parts/diff/change-diff.tsx'
import { ReachPart } from './reach.tsx'
import { type Seen, useSeen } from './seen.ts'
import { Stale } from './stale.tsx'
import { Timeline } from './timeline.tsx'
import { toneOf, wordsOf } from '../../parts/change-state.ts'
import { Why } from './why.tsx'

const Facts = ({ change }: { readonly change: ChangeView }) => (
  <p class="facts">
    <span class={`risk ${change.risk}`}>{change.risk} risk</span> <span class={`tag ${toneOf[change.state]}`}>{wordsOf[change.state]}</span>{' '}
    <code>{change.kind}</code> for <code>{change.agentGroupID}</code>, asked for by <Untrusted text={change.requestedBy} />
    {change.principal !== change.requestedBy && (
      <>
        {' '}
        (proved to be <Untrusted text={change.principal} />)
      </>
    )}
    , <When at={change.createdAt} />
    {change.state === 'held' && change.expiresAt !== undefined && (
      <>
        ; ends unanswered <When at={change.expiresAt} />
      </>
    )}
  </p>
)

const Asked = ({ change }: { readonly change: ChangeView }) => (
  <>
    {change.reason !== undefined && (
      <p class="asked-why">
        <span class="soft">Reason given: </span>
        <Untrusted text={change.reason} />
      </p>
    )}
    {change.afterToolOutput === true && (
      <p class="note warn">
        The agent asked for this after output of a tool had reached it. The wish may be that of whoever wrote that output, not of the person
        whom the agent works for.
      </p>
    )}
    {change.failure !== undefined && (
      <p class="note bad">
        <strong>{change.state === 'refused' ? 'A rule refuses this' : 'It could not be applied'}:</strong>{' '}
        <Untrusted text={change.failure.reason} /> <code>{change.failure.rule}</code>
      </p>
    )}
    {change.revertOf !== undefined && (
      <p>
        It undoes <Link to={{ page: 'changes', rest: [change.revertOf] }}>{change.revertOf}</Link>.
      </p>
    )}
  </>
)

const Whole = ({ change, seen, refresh }: { readonly change: ChangeView; readonly seen: Seen; readonly refresh: () => void }) => {
  const api = useApi()
  const { id, agentGroupID } = change
  const reach = useLive((signal) => api.changes.reach(id, { signal }), {
    of: [id, change.digest, change.state],
    wants: (news) => news.agentGroupID === agentGroupID,
  })
  const evidence = useEvidence(change)
  return (
    <>
      <PageHead title={visible(change.summary)} />
      <Facts change={change} />
      <FrozenNote group={agentGroupID} />
      <Asked change={change} />
      <Why change={change} reach={reach.data} />
      <Stale change={change} seen={seen} />
      {reach.data?.moved === true && !seen.moved && change.state === 'held' && (
        <p class="note warn" role="status">
          What this would write over, or its evidence, has moved since the change was made. An approval is not taken at once: it brings the
          new difference here, to be read first.
        </p>
      )}
      <div class="decide">
        <div class="matter">
          <section aria-labelledby="diff">
            <h2 id="diff">{change.state === 'held' ? 'What would be different' : 'What it was about'}</h2>
            <ChangeDiff change={change} evidence={evidence.evidence} />
          </section>
          <EvidencePart change={change} {...evidence} />
          <ReachPart change={change} live={reach} />
          <Timeline change={change} />
        </div>
        <Desk change={change} seen={seen} refresh={refresh} />
      </div>
    </>
  )
}

const One = ({ id }: { readonly id: string }) => {
  const api = useApi()
  const live = useLive((signal) => api.changes.show(id, { signal }), { of: [id], wants: ({ changeID }) => changeID === id })
  const seen = useSeen(live.data)
  if (live.data === undefined) {
    const isMissing = isServiceError(live.problem) && live.problem.code === 'not-found'
    return (
      <>
        <PageHead title="Change" />
        {isMissing ? (
          <div class="empty">
            <p>
              There is no change <Untrusted text={id} /> that you may see.
            </p>
            <Link to={{ page: 'approvals' }}>To what waits</Link>
          </div>
        ) : (
          <ListFrame live={live} count={0} empty={null}>
            {null}
          </ListFrame>
        )}
      </>
    )
  }
  return <Whole change={live.data} seen={seen} refresh={() => live.refresh()} />
}

export const ChangePage = () => {
  const { rest } = usePlace()
  const id = rest[0] ?? ''
  return <One key={id} id={id} />
}
