// Pending approvals, health, and the last hour.
import type { Change } from '@gatehouse/contracts'
import { Untrusted } from '../../components/elements.tsx'
import { FrozenNote, ListFrame } from '../../components/list.tsx'
import { PageHead } from '../../components/page-head.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { useLive } from '../../live/use-live.ts'
import { Link } from '../../router/link.tsx'
import { useApi, useUnit } from '../../unit/unit.ts'
import { Health } from './health.tsx'
import { LastHour } from './last-hour.tsx'
import './overview.css'

const most = 5

const Row = ({ change }: { readonly change: Change }) => (
  <li data-row>
    <span class={`tag ${change.risk === 'high' ? 'bad' : change.risk === 'medium' ? 'warn' : 'good'}`}>{change.risk} risk</span>{' '}
    <Link to={{ page: 'changes', rest: [change.id] }}>
      <Untrusted text={change.summary} />
    </Link>{' '}
    <span class="soft">
      <Untrusted text={change.requestedBy} />, <RelativeTime at={change.createdAt} />
    </span>
  </li>
)

/** Pending approvals, oldest first. */
const Waiting = () => {
  const api = useApi()
  const held = useUnit().status?.held ?? 0
  const live = useLive((signal) => api.changes.pending({ limit: 200 }, { signal }), { wants: ({ changeID }) => changeID !== undefined })
  const items = (live.data?.items ?? []).toSorted((a, b) => Date.parse(a.createdAt) - Date.parse(b.createdAt)).slice(0, most)
  return (
    <section aria-labelledby="waiting" class="first">
      <h2 id="waiting">Waits for a decision</h2>
      <ListFrame live={live} count={items.length} empty={<p>Nothing waits for you.</p>}>
        <ul class="plain waiting">
          {items.map((change) => (
            <Row key={change.id} change={change} />
          ))}
        </ul>
        {held > most && (
          <p>
            <Link to={{ page: 'approvals' }}>All {held} that wait</Link>
          </p>
        )}
      </ListFrame>
    </section>
  )
}

export const Overview = () => (
  <>
    <PageHead title="Overview" />
    <FrozenNote />
    <Waiting />
    <Health />
    <LastHour />
  </>
)
