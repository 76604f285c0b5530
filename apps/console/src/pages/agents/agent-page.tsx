// One agent group: its settings, its access, and the forms that request changes.
import type { AgentGroup } from '@gatehouse/contracts'
import type { ComponentChildren } from 'preact'
import { Untrusted } from '../../components/elements.tsx'
import { FreezeGroup } from '../../components/freezes.tsx'
import { ListFrame } from '../../components/list.tsx'
import { PageHead } from '../../components/page-head.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { useLive } from '../../live/use-live.ts'
import { Link } from '../../router/link.tsx'
import { useApi } from '../../unit/unit.ts'
import { GroupGrants, GroupWirings } from './access.tsx'
import { AskForm } from './ask-form.tsx'
import { MountsForm, PackagesForm, PersonaForm, ToolsForm, WiringForm } from './forms.tsx'
import { PermissionsForm } from './permissions-form.tsx'

const Origin = ({ origin }: { readonly origin: string }) =>
  origin.startsWith('chg_') ? <Link to={{ page: 'changes', rest: [origin] }}>{origin}</Link> : <Untrusted text={origin} />

const Facts = ({ group }: { readonly group: AgentGroup }) => (
  <dl class="card">
    <dt>Agent</dt>
    <dd>{group.agent}</dd>
    <dt>Model</dt>
    <dd>{group.model === undefined ? 'none' : `${group.model.provider} ${group.model.id}`}</dd>
    <dt>Built-in tools</dt>
    <dd>{group.tools.join(', ')}</dd>
    <dt>Mounts</dt>
    <dd>
      {group.mounts.length === 0 ? (
        'none'
      ) : (
        <Untrusted text={group.mounts.map(({ source, target, mode }) => `${source} → ${target} (${mode})`).join(', ')} />
      )}
    </dd>
    <dt>Packages</dt>
    <dd>{group.packages === undefined ? 'none' : <Untrusted text={group.packages.npm.join(', ')} />}</dd>
    <dt>Members</dt>
    <dd>
      {group.members.length === 0 ? 'none' : <Untrusted text={group.members.map(({ channel, user }) => `${channel} ${user}`).join(', ')} />}
    </dd>
    <dt>Made</dt>
    <dd>
      <RelativeTime at={group.createdAt} /> by <Origin origin={group.origin} />
    </dd>
  </dl>
)

const Form = ({ title, children }: { readonly title: string; readonly children: ComponentChildren }) => (
  <details class="card">
    <summary>{title}</summary>
    {children}
  </details>
)

const Forms = ({ group }: { readonly group: AgentGroup }) => (
  <section aria-labelledby="ask">
    <h2 id="ask">Request changes</h2>
    <p class="soft">Each form submits a change. Nothing takes effect until someone approves it.</p>
    <Form title="Instructions">
      <PersonaForm group={group} />
    </Form>
    <Form title="Built-in tools">
      <ToolsForm group={group} />
    </Form>
    <Form title="Model and limits">
      <PermissionsForm group={group} />
    </Form>
    <Form title="Packages">
      <PackagesForm group={group} />
    </Form>
    <Form title="Mounts">
      <MountsForm group={group} />
    </Form>
    <Form title="Channel">
      <WiringForm id={group.id} />
    </Form>
    <Form title="Remove the group">
      <AskForm kind="agent_remove" agentGroupID={group.id} after={() => ({})} label={`Request removal of ${group.id}`} />
    </Form>
  </section>
)

export const AgentPage = ({ id }: { readonly id: string }) => {
  const api = useApi()
  const live = useLive((signal) => api.groups.show(id, { signal }), { of: [id], wants: ({ agentGroupID }) => agentGroupID === id })
  const group = live.data
  return (
    <>
      <PageHead title={`Agent group ${id}`} about={<Link to={{ page: 'agents' }}>All agent groups</Link>}>
        <Link to={{ page: 'sessions', query: { group: id } }} class="button quiet">
          Sessions
        </Link>
        <Link to={{ page: 'audit', query: { group: id } }} class="button quiet">
          Audit
        </Link>
        <FreezeGroup group={id} />
        <Link to={{ page: 'chat', rest: [id] }} class="button">
          Chat
        </Link>
      </PageHead>
      <ListFrame live={live} count={1} empty="">
        {group !== undefined && (
          <>
            <p class="lead">
              <Untrusted text={group.name} />
            </p>
            <Facts group={group} />
            <section>
              <h2>Instructions</h2>
              <pre tabIndex={0}>{group.persona === '' ? 'none' : <Untrusted text={group.persona} />}</pre>
            </section>
            <GroupGrants id={id} />
            <GroupWirings id={id} />
            <Forms group={group} />
          </>
        )}
      </ListFrame>
    </>
  )
}
