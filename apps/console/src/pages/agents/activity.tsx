// What an agent group is at: its pending changes, its sessions and its latest calls; each list kept fresh by the page.
import type { CallRecord, Change, ModelList, SessionStatus } from '@gatehouse/contracts'
import { wallMs } from '../../clock.ts'
import { changeTitle } from '../../components/diff/change-title.ts'
import { Untrusted } from '../../components/elements.tsx'
import { Columns } from '../../components/list.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { RiskMark } from '../../components/risk.tsx'
import { everyPage } from '../../live/every-page.ts'
import { useLive } from '../../live/use-live.ts'
import { Link } from '../../router/link.tsx'
import { useApi, useUnit } from '../../unit/unit.ts'
import { RecentCalls } from '../calls/recent-calls.tsx'
import { SessionState } from '../sessions/session-page.tsx'

const hour = 3_600_000
const most = 200

export interface Activity {
  readonly pending: readonly Change[]
  readonly sessions: readonly SessionStatus[]
  /** Of the last hour, at most 200. */
  readonly calls: readonly CallRecord[]
  /** Of today. */
  readonly spending: ModelList['spending'][number] | undefined
}

export const useActivity = (agentGroupID: string): Activity | undefined => {
  const api = useApi()
  const { status } = useUnit()
  const hasTools = status?.mcp.enabled === true
  const hasSandbox = status !== undefined && status.sandbox.status !== 'off'
  const ask = async (signal: AbortSignal): Promise<Activity> => {
    const since = new Date(wallMs() - hour).toISOString()
    const [held, sessions, calls, models] = await Promise.all([
      api.changes.pending({ agentGroupID, limit: most }, { signal }),
      hasSandbox ? everyPage((page) => api.sessions.list({ ...page, agentGroupID }, { signal })) : [],
      hasTools ? api.audit.calls({ agentGroupID, op: 'call', since, limit: most }, { signal }) : { items: [] },
      api.models.list({ signal }).catch(() => ({ spending: [] })),
    ])
    const spending = models.spending.find((spent) => spent.agentGroupID === agentGroupID)
    return { pending: held.items, sessions, calls: calls.items, spending }
  }
  return useLive(ask, { of: [agentGroupID, hasTools, hasSandbox], every: 5_000, wants: (news) => news.agentGroupID === agentGroupID }).data
}

export const PendingChanges = ({ changes }: { readonly changes: readonly Change[] }) =>
  changes.length === 0 ? null : (
    <section class="card panel" aria-labelledby="pending">
      <h2 id="pending">Pending changes</h2>
      <ul class="panel-list">
        {changes.map((change) => (
          <li key={change.id} class="decision-row" data-row>
            <RiskMark risk={change.risk} />
            <div class="decision-text">
              <Link to={{ page: 'changes', rest: [change.id] }} class="row-title">
                <Untrusted text={changeTitle(change)} />
              </Link>
              <span class="soft">
                <Untrusted text={change.requestedBy} />, <RelativeTime at={change.createdAt} />
              </span>
            </div>
          </li>
        ))}
      </ul>
    </section>
  )

const shown = 6

export const GroupSessions = ({ id, sessions }: { readonly id: string; readonly sessions: readonly SessionStatus[] }) => (
  <section class="card panel" aria-labelledby="sessions">
    <h2 id="sessions">Sessions</h2>
    {sessions.length === 0 ? (
      <p class="hint">No session. The first message opens one.</p>
    ) : (
      <table>
        <Columns names={['Conversation', 'State', 'Pending', 'Launches']} />
        <tbody>
          {sessions.slice(0, shown).map((session) => (
            <tr key={session.id} data-row>
              <td>
                <Link to={{ page: 'sessions', rest: [session.id] }}>
                  <Untrusted text={session.conversationId} />
                </Link>
              </td>
              <td>
                <SessionState session={session} />
              </td>
              <td>{session.waiting}</td>
              <td>{session.launches}</td>
            </tr>
          ))}
        </tbody>
      </table>
    )}
    {sessions.length > shown && (
      <p class="panel-more">
        <Link to={{ page: 'sessions', query: { group: id } }}>All {sessions.length} sessions</Link>
      </p>
    )}
  </section>
)

const tool = {
  name: 'Tool',
  cell: ({ server, tool: name = '' }: CallRecord) => (
    <>
      <Link to={{ page: 'mcp', rest: [server] }}>{server}</Link> <Untrusted text={name} />
    </>
  ),
}

export const GroupCalls = ({ id, calls }: { readonly id: string; readonly calls: readonly CallRecord[] }) => (
  <section class="card panel" aria-labelledby="calls">
    <h2 id="calls">Tool calls of the last hour</h2>
    {calls.length === 0 ? <p class="hint">No call in the last hour.</p> : <RecentCalls calls={calls.slice(0, shown)} columns={[tool]} />}
    <p class="panel-more">
      <Link to={{ page: 'calls', query: { group: id } }}>All calls of {id}</Link>
    </p>
  </section>
)
