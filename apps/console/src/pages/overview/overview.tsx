// Tiles with the state of the unit, changes that need a decision, recent activity, and the last hour in plots.
import { type AuditEntry, type Change, visible } from '@gatehouse/contracts'
import { changeTitle } from '../../components/diff/change-title.ts'
import { Untrusted } from '../../components/elements.tsx'
import { FrozenNote, ListFrame } from '../../components/list.tsx'
import { PageHead } from '../../components/page-head.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { RiskMark } from '../../components/risk.tsx'
import { type Live, useLive } from '../../live/use-live.ts'
import { Link } from '../../router/link.tsx'
import { useApi, useUnit } from '../../unit/unit.ts'
import { actorOf, auditSentence, isRoutine } from '../audit/audit-sentence.ts'
import { LastHour } from './last-hour.tsx'
import './overview.css'
import { Tiles } from './tiles.tsx'

const rows = 8
const risks = ['high', 'medium', 'low']

const Row = ({ change }: { readonly change: Change }) => (
  <li data-row class="decision-row">
    <RiskMark risk={change.risk} />
    <span class="decision-text">
      <Link to={{ page: 'changes', rest: [change.id] }} class="row-title">
        {visible(changeTitle(change))}
      </Link>
      <span class="soft">
        <Untrusted text={change.requestedBy} /> · <RelativeTime at={change.createdAt} />
        {change.expiresAt !== undefined && (
          <>
            {' '}
            · expires <RelativeTime at={change.expiresAt} />
          </>
        )}
      </span>
    </span>
  </li>
)

/** Pending changes: the riskiest first, then the oldest. */
const Decisions = ({ live, items }: { readonly live: Live<unknown>; readonly items: readonly Change[] }) => {
  const held = useUnit().status?.held ?? 0
  const shown = items
    .toSorted((a, b) => risks.indexOf(a.risk) - risks.indexOf(b.risk) || Date.parse(a.createdAt) - Date.parse(b.createdAt))
    .slice(0, rows)
  return (
    <section aria-labelledby="pending" class="card panel">
      <h2 id="pending">Needs your decision</h2>
      <ListFrame live={live} count={shown.length} empty={<p>Nothing pending.</p>}>
        <ul class="panel-list">
          {shown.map((change) => (
            <Row key={change.id} change={change} />
          ))}
        </ul>
        {held > rows && (
          <p class="panel-more">
            <Link to={{ page: 'approvals' }}>View all {held}</Link>
          </p>
        )}
      </ListFrame>
    </section>
  )
}

const Event = ({ entry }: { readonly entry: AuditEntry }) => (
  <li class="event-row">
    <span class="event-text">
      <strong>
        <Untrusted text={actorOf(entry)} />
      </strong>{' '}
      {entry.changeID === undefined ? (
        <Untrusted text={auditSentence(entry)} />
      ) : (
        <Link to={{ page: 'changes', rest: [entry.changeID] }}>{visible(auditSentence(entry))}</Link>
      )}
    </span>
    <RelativeTime at={entry.time} />
  </li>
)

const events = 20

const Activity = () => {
  const api = useApi()
  const live = useLive((signal) => api.audit.list({ limit: 60 }, { signal }), { wants: () => true })
  const items = (live.data?.items ?? []).filter((entry) => !isRoutine(entry)).slice(0, events)
  return (
    <section aria-labelledby="activity" class="card panel">
      <h2 id="activity">Activity</h2>
      <ListFrame live={live} count={items.length} empty={<p>Nothing has happened yet.</p>}>
        <ul class="panel-list activity" tabIndex={0} aria-label="Recent activity">
          {items.map((entry) => (
            <Event key={entry.seq} entry={entry} />
          ))}
        </ul>
        <p class="panel-more">
          <Link to={{ page: 'audit' }}>Audit log</Link>
        </p>
      </ListFrame>
    </section>
  )
}

export const Overview = () => {
  const api = useApi()
  const pending = useLive((signal) => api.changes.pending({ limit: 200 }, { signal }), { wants: ({ changeID }) => changeID !== undefined })
  const history = useLive((signal) => api.history({ signal }), { every: 10_000 })
  const items = pending.data?.items ?? []
  return (
    <>
      <PageHead title="Overview" />
      <FrozenNote />
      <Tiles pending={items} samples={history.data?.samples ?? []} every={history.data?.every ?? 10} />
      <div class="panels">
        <Decisions live={pending} items={items} />
        <Activity />
      </div>
      <LastHour live={history} />
    </>
  )
}
