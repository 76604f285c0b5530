// Every session and how its sandbox fares; one of them with what its sandboxes printed.
import { sessionStates, type SessionStatus } from '@gatehouse/contracts'
import { SelectFilter } from '../../components/filters.tsx'
import { Columns, ListFrame } from '../../components/list.tsx'
import { PageHead } from '../../components/page-head.tsx'
import { everyPage } from '../../live/every-page.ts'
import { useLive } from '../../live/use-live.ts'
import { Link } from '../../router/link.tsx'
import { usePlace } from '../../router/router.ts'
import { useApi } from '../../unit/unit.ts'
import { SessionPage, SessionState } from './session-page.tsx'

const every = 3_000

const Rows = ({ items }: { readonly items: readonly SessionStatus[] }) => (
  <div class="scroll">
    <table>
      <Columns names={['Session', 'State', 'Group', 'Conversation', 'Pending messages', 'Launches']} />
      <tbody>
        {items.map((session) => (
          <tr key={session.id} data-row>
            <td>
              <Link to={{ page: 'sessions', rest: [session.id] }}>
                <code>{session.id}</code>
              </Link>
            </td>
            <td>
              <SessionState session={session} />
            </td>
            <td>
              <Link to={{ page: 'agents', rest: [session.agentGroupID] }}>{session.agentGroupID}</Link>
            </td>
            <td>{session.conversationId}</td>
            <td>{session.waiting}</td>
            <td>{session.launches}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)

const SessionList = () => {
  const api = useApi()
  const { query } = usePlace()
  const state = sessionStates.find((each) => each === query['state'])
  const agentGroupID = query['group'] || undefined
  const ask = (signal: AbortSignal) => everyPage((page) => api.sessions.list({ ...page, agentGroupID, state }, { signal }))
  const live = useLive(ask, { of: [agentGroupID, state], every })
  const items = live.data ?? []
  return (
    <>
      <PageHead title="Sessions" about="Each session is one conversation with one agent group. Its sandbox runs while there is work." />
      <div class="filters">
        <SelectFilter name="state" label="State" choices={sessionStates} />
        <SelectFilter name="group" label="Agent group" choices={[...new Set(items.map((session) => session.agentGroupID))]} />
      </div>
      <ListFrame
        live={live}
        count={items.length}
        empty={
          (state ?? agentGroupID) !== undefined ? (
            <p>No session matches these filters.</p>
          ) : (
            <p>
              No session. The first message to an agent group opens one: <Link to={{ page: 'chat' }}>go to Chat</Link>.
            </p>
          )
        }
      >
        <Rows items={items} />
      </ListFrame>
    </>
  )
}

export const Sessions = () => {
  const id = usePlace().rest[0]
  return id === undefined ? <SessionList /> : <SessionPage key={id} id={id} />
}
