// What a decider wants to know beside the change: the agent and its access, its use of the tools, and past decisions.
import { type CallRecord, type Change, type ChangeView, McpAccess, type Power, type Reach, visible } from '@gatehouse/contracts'
import * as v from 'valibot'
import { wallMs } from '../../clock.ts'
import { changeTitle } from '../../components/diff/change-title.ts'
import { Untrusted } from '../../components/elements.tsx'
import { Columns } from '../../components/list.tsx'
import { ProblemNote } from '../../components/problem-note.tsx'
import { readAs } from '../../components/read-as.ts'
import { RelativeTime } from '../../components/relative-time.tsx'
import { StateTag } from '../../components/state-tag.tsx'
import { nameList } from '../../components/units.ts'
import { useLive } from '../../live/use-live.ts'
import { Link } from '../../router/link.tsx'
import { useApi, useUnit } from '../../unit/unit.ts'

const Named = v.object({ server: McpAccess.entries.server })

/** The tool server that the change is about; undefined for other kinds. */
const serverOf = (change: Pick<Change, 'kind' | 'after'>): string | undefined =>
  change.kind === 'mcp_access' || change.kind === 'mcp_revoke' ? readAs(Named, change.after)?.server : undefined

const areaWords: Readonly<Record<Power['area'], string>> = {
  model: 'model',
  tool: 'built-in tools',
  'server-tool': 'server tools',
  'provider-tool': 'provider tools',
  mount: 'mounts',
  package: 'packages',
  channel: 'channels',
  member: 'members',
  limit: 'limits',
}

const riskyMarks: readonly string[] = ['destructive', 'writes', 'runs-programs', 'every', 'anybody']

/** Such as "8 built-in tools, 5 server tools (1 destructive or open)". */
const summarizeAccess = (powers: readonly Power[]): string => {
  const areas = Map.groupBy(powers, ({ area }) => area)
  const parts = [...areas]
    .filter(([area]) => area !== 'model' && area !== 'limit')
    .map(([area, list]) => {
      const risky = list.filter(({ marks }) => marks.some((mark) => riskyMarks.includes(mark)))
      return `${list.length} ${areaWords[area]}${risky.length > 0 ? ` (risky: ${nameList(risky.map(({ name }) => name))})` : ''}`
    })
  return parts.length === 0 ? 'no access' : parts.join(', ')
}

/** The agent that the change is for, and what it can reach already. */
export const AgentContext = ({ change, reach }: { readonly change: ChangeView; readonly reach: Reach | undefined }) => {
  const api = useApi()
  const { agentGroupID } = change
  const live = useLive((signal) => api.groups.show(agentGroupID, { signal }), { of: [agentGroupID] })
  const group = live.data
  if (change.kind === 'agent_create') return null
  const can = reach?.can
  return (
    <section aria-labelledby="agent" class="context">
      <h2 id="agent">Agent</h2>
      <p>
        <Link to={{ page: 'agents', rest: [agentGroupID] }}>{agentGroupID}</Link>
        {group !== undefined && (
          <span class="soft">
            {' '}
            <Untrusted text={group.name} /> · {group.agent === 'mock' ? 'mock agent' : (group.model?.id ?? 'no model')}
          </span>
        )}
      </p>
      {group !== undefined && group.persona !== '' && (
        <p class="clamp soft">
          <Untrusted text={group.persona} />
        </p>
      )}
      {can !== undefined && can !== null && (
        <p>
          <span class="soft">Can reach now: </span>
          <Untrusted text={summarizeAccess(can)} />
        </p>
      )}
    </section>
  )
}

const week = 7 * 86_400_000
const callLimit = 200

interface ToolUse {
  readonly tool: string
  readonly calls: number
  readonly refused: number
  readonly failed: number
  readonly last: string
}

const countUse = (calls: readonly CallRecord[]): readonly ToolUse[] =>
  [...Map.groupBy(calls, ({ server, tool = '' }) => `${server} ${tool}`)]
    .map(([tool, list]) => ({
      tool,
      calls: list.length,
      refused: list.filter(({ status }) => status === 'refused').length,
      failed: list.filter(({ status }) => status !== 'refused' && status !== 'ok').length,
      last: list[0]?.time ?? '',
    }))
    .toSorted((a, b) => b.calls - a.calls)

const UseTable = ({ use }: { readonly use: readonly ToolUse[] }) => (
  <table class="compact">
    <Columns names={['Tool', 'Calls', 'Refused', 'Failed', 'Last']} />
    <tbody>
      {use.slice(0, 6).map(({ tool, calls, refused, failed, last }) => (
        <tr key={tool}>
          <td>
            <code>
              <Untrusted text={tool} />
            </code>
          </td>
          <td>{calls}</td>
          <td>{refused}</td>
          <td>{failed}</td>
          <td>
            <RelativeTime at={last} />
          </td>
        </tr>
      ))}
    </tbody>
  </table>
)

const describeUse = (group: string, server: string | undefined, use: readonly ToolUse[]): string => {
  const calls = use.reduce((sum, row) => sum + row.calls, 0)
  const refused = use.reduce((sum, row) => sum + row.refused, 0)
  if (calls === 0) return `${group} made no call${server === undefined ? '' : ` to ${server}`}.`
  const times = calls === callLimit ? `${calls} times or more` : calls === 1 ? 'once' : `${calls} times`
  return `${group} called ${server ?? 'tools'} ${times}, ${refused} refused.`
}

/** Tool calls of the group, of the server of the change where it has one, in the last seven days. */
export const RecentUse = ({ change }: { readonly change: ChangeView }) => {
  const api = useApi()
  const enabled = useUnit().status?.mcp.enabled === true
  const server = serverOf(change)
  const { agentGroupID } = change
  const live = useLive(
    async (signal) => {
      const since = new Date(wallMs() - week).toISOString()
      return enabled ? (await api.audit.calls({ agentGroupID, server, op: 'call', since, limit: callLimit }, { signal })).items : []
    },
    { of: [agentGroupID, server, enabled] },
  )
  if (!enabled || change.kind === 'agent_create') return null
  const use = countUse(live.data ?? [])
  return (
    <section aria-labelledby="use" class="context">
      <h2 id="use">Use in the last 7 days</h2>
      {live.problem !== undefined && <ProblemNote problem={live.problem} />}
      {live.data !== undefined && (
        <p>
          {describeUse(agentGroupID, server, use)}{' '}
          {use.length > 0 && <Link to={{ page: 'calls', query: { group: agentGroupID, server } }}>View calls</Link>}
        </p>
      )}
      {use.length > 0 && <UseTable use={use} />}
    </section>
  )
}

const isAlike = (change: Change, other: Change): boolean => {
  if (other.id === change.id) return false
  const server = serverOf(change)
  return server === undefined ? other.kind === change.kind : serverOf(other) === server
}

const atMost = 5

/** Decisions on the same group, and on the same server or the same kind of change. */
export const PastDecisions = ({ change }: { readonly change: ChangeView }) => {
  const api = useApi()
  const { agentGroupID } = change
  const live = useLive((signal) => api.changes.history({ agentGroupID, limit: 100 }, { signal }), {
    of: [agentGroupID],
    wants: (news) => news.agentGroupID === agentGroupID && news.changeID !== undefined,
  })
  const past = (live.data?.items ?? []).filter((other) => isAlike(change, other))
  return (
    <section aria-labelledby="past" class="context">
      <h2 id="past">Past decisions</h2>
      {live.problem !== undefined && <ProblemNote problem={live.problem} />}
      {live.data !== undefined && past.length === 0 && (
        <p class="soft">None on {serverOf(change) ?? 'this kind of change'} for this group.</p>
      )}
      <ul class="plain">
        {past.slice(0, atMost).map((other) => {
          const last = other.decisions.at(-1)
          return (
            <li key={other.id} class="past">
              <StateTag state={other.state} /> <Link to={{ page: 'changes', rest: [other.id] }}>{visible(changeTitle(other))}</Link>
              <span class="soft">
                {' '}
                {last !== undefined && (
                  <>
                    <Untrusted text={last.by} />,{' '}
                  </>
                )}
                <RelativeTime at={last?.at ?? other.createdAt} />
                {last?.reason !== undefined && (
                  <>
                    : “<Untrusted text={last.reason} />”
                  </>
                )}
              </span>
            </li>
          )
        })}
      </ul>
      {past.length > atMost && (
        <p>
          <Link to={{ page: 'approvals', query: { show: 'decided', group: agentGroupID } }}>View all {past.length}</Link>
        </p>
      )}
    </section>
  )
}
