// One agent group: its state, its access, what it is at, and the forms that request changes.
import type { AgentGroup } from '@gatehouse/contracts'
import { wallMs } from '../../clock.ts'
import { Untrusted } from '../../components/elements.tsx'
import { FreezeGroup } from '../../components/freezes.tsx'
import { ListFrame } from '../../components/list.tsx'
import { PageHead } from '../../components/page-head.tsx'
import { useLive } from '../../live/use-live.ts'
import { Link } from '../../router/link.tsx'
import { useApi } from '../../unit/unit.ts'
import { GroupGrants, GroupWirings, useGroupGrants } from './access.tsx'
import { GroupCalls, GroupSessions, PendingChanges, useActivity } from './activity.tsx'
import { AskForm } from './ask-form.tsx'
import { EditForm } from './edit-form.tsx'
import { Facts, Glance, LimitUse } from './facts.tsx'
import { WiringForm } from './wiring-form.tsx'

const Forms = ({ group }: { readonly group: AgentGroup }) => (
  <section aria-labelledby="edit">
    <h2 id="edit">Edit</h2>
    <EditForm group={group} />
    <details class="card">
      <summary>Channel</summary>
      <WiringForm id={group.id} />
    </details>
    <details class="card">
      <summary>Remove the group</summary>
      <AskForm kind="agent_remove" agentGroupID={group.id} after={() => ({})} label={`Request removal of ${group.id}`} />
    </details>
  </section>
)

const AgentDetails = ({ group }: { readonly group: AgentGroup }) => {
  const { id, persona } = group
  const activity = useActivity(id)
  const grants = useGroupGrants(id)
  return (
    <>
      {activity !== undefined && <Glance group={group} grants={grants.data?.items ?? []} activity={activity} />}
      {activity !== undefined && <PendingChanges changes={activity.pending} />}
      <div class="panels">
        <section class="card panel" aria-labelledby="persona">
          <h2 id="persona">Instructions</h2>
          <pre tabIndex={0}>{persona === '' ? 'none' : <Untrusted text={persona} />}</pre>
        </section>
        <GroupGrants live={grants} />
        {activity !== undefined && <LimitUse group={group} activity={activity} now={wallMs()} />}
        <Facts group={group} />
        {activity !== undefined && <GroupSessions id={id} sessions={activity.sessions} />}
        {activity !== undefined && <GroupCalls id={id} calls={activity.calls} />}
        <GroupWirings id={id} />
      </div>
      <Forms group={group} />
    </>
  )
}

export const AgentPage = ({ id }: { readonly id: string }) => {
  const api = useApi()
  const live = useLive((signal) => api.groups.show(id, { signal }), { of: [id], wants: ({ agentGroupID }) => agentGroupID === id })
  const group = live.data
  return (
    <>
      <PageHead
        title={`Agent group ${id}`}
        about={
          <>
            {group !== undefined && group.name !== id && (
              <>
                <Untrusted text={group.name} />
                {' · '}
              </>
            )}
            <Link to={{ page: 'agents' }}>All agent groups</Link>
          </>
        }
      >
        <Link to={{ page: 'audit', query: { group: id } }} class="button quiet">
          Audit
        </Link>
        <FreezeGroup group={id} />
        <Link to={{ page: 'chat', rest: [id] }} class="button">
          Chat
        </Link>
      </PageHead>
      <ListFrame live={live} count={1} empty="">
        {group !== undefined && <AgentDetails group={group} />}
      </ListFrame>
    </>
  )
}
