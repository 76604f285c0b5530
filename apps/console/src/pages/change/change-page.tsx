// The page of one change, for the person who decides it.
import { type ChangeView, Evidence, isServiceError, type Reach, visible } from '@gatehouse/contracts'
import { stateLabel, stateTone } from '../../components/change-state.ts'
import { ChangeDiff, readAs } from '../../components/diff/change-diff.tsx'
import { Collapsible, Untrusted } from '../../components/elements.tsx'
import { FrozenNote, ListFrame } from '../../components/list.tsx'
import { PageHead } from '../../components/page-head.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { useLive } from '../../live/use-live.ts'
import { Link } from '../../router/link.tsx'
import { usePlace } from '../../router/router.ts'
import { useApi } from '../../unit/unit.ts'
import { DecisionPanel } from './decision-panel.tsx'
import { ReachPart } from './effective-access.tsx'
import { EvidencePart, useEvidence } from './evidence.tsx'
import { type Seen, useSeen } from './seen.ts'
import { Timeline } from './timeline.tsx'

/** Says that the change has moved since the reader first saw it, and what they saw then. */
const Stale = ({ change, seen }: { readonly change: ChangeView; readonly seen: Seen }) => {
  const before = seen.change
  if (!seen.moved || before === undefined || change.state !== 'held') return null
  return (
    <div class="note warn" role="alert">
      <p>
        <strong>This change is not what you saw before.</strong> What it would write over, or its evidence, has moved. Below stands what
        would happen now; nothing was approved.
      </p>
      <Collapsible summary="As you saw it before">
        {() => <ChangeDiff change={before} evidence={readAs(Evidence, before.evidence) ?? null} />}
      </Collapsible>
      <p class="actions">
        <button type="button" onClick={seen.read}>
          I have read the new difference
        </button>
      </p>
    </div>
  )
}

const general = {
  low: 'It gives the agent nothing that it could do harm with.',
  medium: 'It changes what the agent does or reaches, within what was seen and can be undone.',
  high: 'It gives power that can do harm before anybody looks again.',
} as const

interface WhyProps {
  readonly change: ChangeView
  readonly reach: Reach | undefined
}

const Why = ({ change, reach }: WhyProps) => {
  if (change.state !== 'held') return null
  const reasons = reach?.why ?? []
  return (
    <div class={change.risk === 'high' ? 'note bad' : 'note'}>
      <p>
        <strong>Why {change.risk} risk:</strong> {reasons.length === 0 && general[change.risk]}
        {reasons.length === 1 && <Untrusted text={reasons[0] ?? ''} />}
      </p>
      {reasons.length > 1 && (
        <ul>
          {reasons.map((reason) => (
            <li key={reason}>
              <Untrusted text={reason} />
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

const Facts = ({ change }: { readonly change: ChangeView }) => (
  <p class="facts">
    <span class={`risk ${change.risk}`}>{change.risk} risk</span>{' '}
    <span class={`tag ${stateTone[change.state]}`}>{stateLabel[change.state]}</span> <code>{change.kind}</code> for{' '}
    <code>{change.agentGroupID}</code>, requested by <Untrusted text={change.requestedBy} />
    {change.principal !== change.requestedBy && (
      <>
        {' '}
        (proved to be <Untrusted text={change.principal} />)
      </>
    )}
    , <RelativeTime at={change.createdAt} />
    {change.state === 'held' && change.expiresAt !== undefined && (
      <>
        ; ends unanswered <RelativeTime at={change.expiresAt} />
      </>
    )}
  </p>
)

const RequestDetails = ({ change }: { readonly change: ChangeView }) => (
  <>
    {change.reason !== undefined && (
      <p class="asked-why">
        <span class="soft">Reason given: </span>
        <Untrusted text={change.reason} />
      </p>
    )}
    {change.afterToolOutput === true && (
      <p class="note warn">
        The agent requested this after it had read the output of a tool. The request may come from the author of that output, not from the
        person whom the agent works for.
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

const ChangeDetails = ({ change, seen, refresh }: { readonly change: ChangeView; readonly seen: Seen; readonly refresh: () => void }) => {
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
      <RequestDetails change={change} />
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
        <DecisionPanel change={change} seen={seen} refresh={refresh} />
      </div>
    </>
  )
}

const ChangeLoader = ({ id }: { readonly id: string }) => {
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
  return <ChangeDetails change={live.data} seen={seen} refresh={() => live.refresh()} />
}

export const ChangePage = () => {
  const { rest } = usePlace()
  const id = rest[0] ?? ''
  return <ChangeLoader key={id} id={id} />
}
