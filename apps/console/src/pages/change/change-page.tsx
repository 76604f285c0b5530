// The page of one change, for the person who decides it.
import { type ChangeView, Evidence, isServiceError, type Reach, visible } from '@gatehouse/contracts'
import { changeTitle } from '../../components/diff/change-title.ts'
import { CopyButton } from '../../components/copy.tsx'
import { ChangeDiff } from '../../components/diff/change-diff.tsx'
import { Collapsible, Untrusted } from '../../components/elements.tsx'
import { Icon } from '../../components/icon.tsx'
import { FrozenNote, ListFrame } from '../../components/list.tsx'
import { PageHead } from '../../components/page-head.tsx'
import { readAs } from '../../components/read-as.ts'
import { RelativeTime } from '../../components/relative-time.tsx'
import { RiskMark } from '../../components/risk.tsx'
import { StateTag } from '../../components/state-tag.tsx'
import { useLive } from '../../live/use-live.ts'
import { Link } from '../../router/link.tsx'
import { usePlace } from '../../router/router.ts'
import { useApi } from '../../unit/unit.ts'
import './change.css'
import { AgentContext, PastDecisions, RecentUse } from './context.tsx'
import { DecisionPanel } from './decision-panel.tsx'
import { ReachPart } from './effective-access.tsx'
import { EvidencePart, useEvidence } from './evidence.tsx'
import { type Seen, useSeen } from './seen.ts'
import { Timeline } from './timeline.tsx'

/** Says that the change is different since the reader first saw it, and what they saw then. */
const Stale = ({ change, seen }: { readonly change: ChangeView; readonly seen: Seen }) => {
  const before = seen.change
  if (!seen.moved || before === undefined || change.state !== 'held') return null
  return (
    <div class="note warn" role="alert">
      <p>
        <strong>This change is not what you saw before.</strong> The present state or the evidence is different now. The difference below is
        current. Nothing was approved.
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
  low: 'It gives the agent nothing that can cause harm.',
  medium: 'It changes what the agent does or can reach, within what was observed.',
  high: 'It gives access that can cause harm before anyone looks again.',
} as const

interface WhyProps {
  readonly change: ChangeView
  readonly reach: Reach | undefined
}

const Why = ({ change, reach }: WhyProps) => {
  if (change.state !== 'held') return null
  const reasons = reach === undefined || reach.why.length === 0 ? [general[change.risk]] : reach.why
  return (
    <div class={`why ${change.risk}`}>
      <h2>Why {change.risk} risk</h2>
      <ul>
        {reasons.map((reason) => (
          <li key={reason}>
            <Untrusted text={reason} />
          </li>
        ))}
      </ul>
    </div>
  )
}

const Facts = ({ change }: { readonly change: ChangeView }) => (
  <p class="facts">
    <span>
      <Icon name={change.kind} /> <code>{change.kind}</code> for <code>{change.agentGroupID}</code>
    </span>
    <span>
      requested by <Untrusted text={change.requestedBy} />
      {change.principal !== change.requestedBy && (
        <>
          {' '}
          (authenticated as <Untrusted text={change.principal} />)
        </>
      )}{' '}
      <RelativeTime at={change.createdAt} />
    </span>
    {change.state === 'held' && change.expiresAt !== undefined && (
      <span>
        expires <RelativeTime at={change.expiresAt} /> if nobody decides
      </span>
    )}
    <span class="id">
      <code>{change.id}</code>
      <CopyButton text={change.id} label="Copy the id" />
    </span>
  </p>
)

const RequestDetails = ({ change }: { readonly change: ChangeView }) => (
  <>
    {change.reason !== undefined && (
      <blockquote class="asked-why">
        <Untrusted text={change.reason} />
        <footer>
          Reason given by <Untrusted text={change.requestedBy} />
        </footer>
      </blockquote>
    )}
    {change.afterToolOutput === true && (
      <p class="note warn">
        The agent requested this after it had read the output of a tool. The request may come from the author of that output, not from the
        person whom the agent works for.
      </p>
    )}
    {change.failure !== undefined && (
      <p class="note bad">
        <strong>{change.state === 'refused' ? 'Refused by a rule' : 'Apply failed'}:</strong> <Untrusted text={change.failure.reason} />{' '}
        <code>{change.failure.rule}</code>
      </p>
    )}
    {change.revertOf !== undefined && (
      <p>
        Reverts <Link to={{ page: 'changes', rest: [change.revertOf] }}>{change.revertOf}</Link>.
      </p>
    )}
  </>
)

interface DetailsProps {
  readonly change: ChangeView
  readonly seen: Seen
  readonly refresh: () => void
  readonly isBeside: boolean
}

const ChangeDetails = ({ change, seen, refresh, isBeside }: DetailsProps) => {
  const api = useApi()
  const { id, agentGroupID } = change
  const reach = useLive((signal) => api.changes.reach(id, { signal }), {
    of: [id, change.digest, change.state],
    wants: (news) => news.agentGroupID === agentGroupID,
  })
  const evidence = useEvidence(change)
  return (
    <>
      <PageHead
        title={visible(changeTitle(change))}
        isBeside={isBeside}
        mark={
          <p class="marks-line">
            <RiskMark risk={change.risk} full /> <StateTag state={change.state} />
          </p>
        }
        about={<Facts change={change} />}
      />
      <FrozenNote group={agentGroupID} />
      <div class="decide">
        <div class="matter">
          <RequestDetails change={change} />
          <Stale change={change} seen={seen} />
          {reach.data?.moved === true && !seen.moved && change.state === 'held' && (
            <p class="note warn" role="status">
              The state that this change was made for, or its evidence, has changed since. Your first approval is not taken: it brings the
              new difference here, to be read first.
            </p>
          )}
          <Why change={change} reach={reach.data} />
          <section aria-labelledby="diff">
            <h2 id="diff">{change.state === 'held' ? 'What will change' : 'What changed'}</h2>
            <ChangeDiff change={change} evidence={evidence.evidence} />
          </section>
          <EvidencePart change={change} {...evidence} />
          <ReachPart change={change} live={reach} />
          <div class="contexts">
            <AgentContext change={change} reach={reach.data} />
            <RecentUse change={change} />
            <PastDecisions change={change} />
            <Timeline change={change} />
          </div>
        </div>
        <DecisionPanel change={change} seen={seen} approvers={reach.data?.approvers ?? []} refresh={refresh} />
      </div>
    </>
  )
}

interface LoaderProps {
  readonly id: string
  /** Beside the list it comes from: its title is no title of the page. */
  readonly isBeside?: boolean
}

export const ChangeLoader = ({ id, isBeside = false }: LoaderProps) => {
  const api = useApi()
  const live = useLive((signal) => api.changes.show(id, { signal }), { of: [id], wants: ({ changeID }) => changeID === id })
  const seen = useSeen(live.data)
  if (live.data === undefined) {
    const isMissing = isServiceError(live.problem) && live.problem.code === 'not-found'
    return (
      <>
        <PageHead title="Change" isBeside={isBeside} />
        {isMissing ? (
          <div class="empty">
            <p>
              Change <Untrusted text={id} /> not found, or you may not see it.
            </p>
            <Link to={{ page: 'approvals' }}>Go to approvals</Link>
          </div>
        ) : (
          <ListFrame live={live} count={0} empty={null}>
            {null}
          </ListFrame>
        )}
      </>
    )
  }
  return <ChangeDetails change={live.data} seen={seen} refresh={() => live.refresh()} isBeside={isBeside} />
}

export const ChangePage = () => {
  const { rest } = usePlace()
  const id = rest[0] ?? ''
  return <ChangeLoader key={id} id={id} />
}
