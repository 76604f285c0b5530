// How a tool server is used: its state, tools, grants and calls of the last hour in numbers, and its latest calls.
import type { CallRecord, DeclaredTools, GrantView, ServerView } from '@gatehouse/contracts'
import { wallMs } from '../../clock.ts'
import { Untrusted } from '../../components/elements.tsx'
import { ListFrame } from '../../components/list.tsx'
import { formatDuration } from '../../components/units.ts'
import { type Live, useLive } from '../../live/use-live.ts'
import { Link } from '../../router/link.tsx'
import { useApi } from '../../unit/unit.ts'
import { percentile } from '../calls/buckets.ts'
import { RecentCalls } from '../calls/recent-calls.tsx'
import { driftsOf } from './catalog.ts'
import { StateTag } from './state.tsx'

const hour = 3_600_000
const most = 200

/** Calls of the last hour, newest first, at most 200. */
export const useServerCalls = (server: string): Live<readonly CallRecord[]> => {
  const api = useApi()
  return useLive(
    async (signal) => {
      const since = new Date(wallMs() - hour).toISOString()
      return (await api.audit.calls({ server, op: 'call', since, limit: most }, { signal })).items
    },
    { of: [server], every: 5_000 },
  )
}

const isDestructive = ({ annotations }: DeclaredTools['tools'][number]): boolean => annotations?.['destructiveHint'] === true

interface FactsProps {
  readonly server: ServerView
  readonly declared: DeclaredTools | undefined
  readonly grants: readonly GrantView[]
  readonly calls: readonly CallRecord[]
}

export const ServerFacts = ({ server, declared, grants, calls }: FactsProps) => {
  const wrong = calls.filter(({ status }) => status !== 'ok').length
  const p95 = percentile(
    calls.map(({ duration, status }) => ({ duration, outcome: status })),
    0.95,
  )
  const destructive = declared?.tools.filter(isDestructive).length ?? 0
  const drifted = grants.filter((grant) => driftsOf(grant).length > 0).length
  return (
    <dl class="stats">
      <div>
        <dt>State</dt>
        <dd>
          <StateTag state={server.state} />
        </dd>
      </div>
      <div>
        <dt>Tools</dt>
        <dd>
          {declared?.at === undefined ? '–' : declared.tools.length}
          {destructive > 0 && <span class="hint"> {destructive} destructive</span>}
        </dd>
      </div>
      <div>
        <dt>Granted to</dt>
        <dd>
          {grants.length} {grants.length === 1 ? 'group' : 'groups'}
        </dd>
      </div>
      <div>
        <dt>Differs from approval</dt>
        <dd>{drifted === 0 ? 'no' : <span class="tag warn">{drifted === 1 ? '1 grant' : `${drifted} grants`}</span>}</dd>
      </div>
      <div>
        <dt>Calls, last hour</dt>
        <dd>{calls.length >= most ? `${most} or more` : calls.length}</dd>
      </div>
      <div>
        <dt>Refused or failed</dt>
        <dd>{wrong > 0 ? <span class="tag warn">{wrong}</span> : wrong}</dd>
      </div>
      <div>
        <dt>p95</dt>
        <dd>{p95 === undefined ? '–' : formatDuration(p95)}</dd>
      </div>
    </dl>
  )
}

const shown = 8

const tool = {
  name: 'Tool',
  cell: ({ tool: name = '' }: CallRecord) => (
    <code>
      <Untrusted text={name} />
    </code>
  ),
}
const group = {
  name: 'Group',
  cell: ({ agentGroupID }: CallRecord) =>
    agentGroupID === null ? '–' : <Link to={{ page: 'agents', rest: [agentGroupID] }}>{agentGroupID}</Link>,
}

export const ServerCalls = ({ server, live }: { readonly server: string; readonly live: Live<readonly CallRecord[]> }) => {
  const calls = live.data ?? []
  return (
    <section aria-labelledby="server-calls">
      <h2 id="server-calls">Calls of the last hour</h2>
      <ListFrame live={live} count={calls.length} empty={<p>No call in the last hour.</p>}>
        <div class="scroll">
          <RecentCalls calls={calls.slice(0, shown)} columns={[tool, group]} />
        </div>
      </ListFrame>
      <p class="panel-more">
        <Link to={{ page: 'calls', query: { server } }}>All calls of {server}</Link>
      </p>
    </section>
  )
}
