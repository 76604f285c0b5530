// An agent group at a glance: its state, its use of the limits, and what it is made of.
import type { AgentGroup, GrantView } from '@gatehouse/contracts'
import type { ComponentChildren } from 'preact'
import { Untrusted } from '../../components/elements.tsx'
import { Icon } from '../../components/icon.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { formatLimit, formatNumber, limitNames, limitTitles } from '../../components/units.ts'
import { Link } from '../../router/link.tsx'
import { useFrozen } from '../../unit/unit.ts'
import type { Activity } from './activity.tsx'

const stateOf = ({ sessions }: Activity): readonly [tone: string, text: string] => {
  const count = (state: string): number => sessions.filter((session) => session.state === state).length
  if (count('parked') > 0) return ['bad', `${count('parked')} parked`]
  const live = count('live') + count('launching')
  return live > 0 ? ['good', `${live} running`] : ['', 'idle']
}

const State = ({ id, activity }: { readonly id: string; readonly activity: Activity }) => {
  const isFrozen = useFrozen(id) !== undefined
  const [tone, text] = stateOf(activity)
  return (
    <>
      {isFrozen && (
        <span class="tag bad">
          <Icon name="freeze" /> frozen
        </span>
      )}{' '}
      <span class={`tag ${tone}`}>
        <Icon name={tone === 'bad' ? 'warning' : tone === 'good' ? 'good' : 'ended'} /> {text}
      </span>
    </>
  )
}

const Stat = ({ title, children }: { readonly title: string; readonly children: ComponentChildren }) => (
  <div>
    <dt>{title}</dt>
    <dd>{children}</dd>
  </div>
)

interface GlanceProps {
  readonly group: AgentGroup
  readonly grants: readonly GrantView[]
  readonly activity: Activity
}

export const Glance = ({ group, grants, activity }: GlanceProps) => {
  const wrong = activity.calls.filter(({ status }) => status !== 'ok').length
  const high = activity.pending.filter(({ risk }) => risk === 'high').length
  const active = grants.filter(({ state }) => state === 'active')
  return (
    <dl class="stats">
      <Stat title="State">
        <State id={group.id} activity={activity} />
      </Stat>
      <Stat title="Agent">
        {group.agent}
        {group.model !== undefined && (
          <span class="hint">
            {' '}
            <Untrusted text={`${group.model.provider} ${group.model.id}`} />
          </span>
        )}
      </Stat>
      <Stat title="Pending changes">
        {activity.pending.length === 0 ? (
          0
        ) : (
          <Link to={{ page: 'approvals', query: { group: group.id } }}>
            {activity.pending.length}
            {high > 0 && `, ${high} of high risk`}
          </Link>
        )}
      </Stat>
      <Stat title="Tool servers">{active.length}</Stat>
      <Stat title="Sessions">{activity.sessions.length}</Stat>
      <Stat title="Calls, last hour">
        {activity.calls.length}
        {wrong > 0 && <span class="hint"> {wrong} refused or failed</span>}
      </Stat>
      <Stat title="Tokens today">{formatNumber(activity.spending?.tokens ?? 0)}</Stat>
    </dl>
  )
}

const minute = 60_000

/** Use of a limit, where the unit tells it. */
const useOf = (name: string, { spending, calls }: Activity, now: number): number | undefined => {
  if (name === 'modelTokensPerDay') return (spending?.tokens ?? 0) + (spending?.reserved ?? 0)
  if (name === 'callsPerMinute') return calls.filter(({ time }) => now - Date.parse(time) < minute).length
  return undefined
}

interface LimitsProps {
  readonly group: AgentGroup
  readonly activity: Activity
  /** Milliseconds since the epoch. */
  readonly now: number
}

export const LimitUse = ({ group, activity, now }: LimitsProps) => (
  <section class="card panel" aria-labelledby="limits">
    <h2 id="limits">Limits</h2>
    <dl class="use">
      {limitNames.map((name) => {
        const limit = group.limits[name]
        const used = useOf(name, activity, now)
        return (
          <div key={name}>
            <dt>{limitTitles[name]}</dt>
            <dd>
              {limit !== undefined && used !== undefined && (
                <meter min={0} max={Math.max(limit, 1)} high={limit * 0.8} value={Math.min(used, limit)} aria-label={limitTitles[name]} />
              )}
              <span>
                {used !== undefined && `${formatNumber(used)} of `}
                {limit === undefined ? (used === undefined ? 'unit default' : 'the unit default') : formatLimit(name, limit)}
              </span>
            </dd>
          </div>
        )
      })}
    </dl>
  </section>
)

const Origin = ({ origin }: { readonly origin: string }) =>
  origin.startsWith('chg_') ? <Link to={{ page: 'changes', rest: [origin] }}>{origin}</Link> : <Untrusted text={origin} />

export const Facts = ({ group }: { readonly group: AgentGroup }) => (
  <section class="card panel" aria-labelledby="setup">
    <h2 id="setup">Configuration</h2>
    <dl>
      <dt>Built-in tools</dt>
      <dd>{group.tools.join(', ')}</dd>
      <dt>Provider tools</dt>
      <dd>{group.providerTools.length === 0 ? 'none' : <Untrusted text={group.providerTools.join(', ')} />}</dd>
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
        {group.members.length === 0 ? (
          'none'
        ) : (
          <Untrusted text={group.members.map(({ channel, user }) => `${channel} ${user}`).join(', ')} />
        )}
      </dd>
      <dt>Created</dt>
      <dd>
        <RelativeTime at={group.createdAt} /> by <Origin origin={group.origin} />
      </dd>
    </dl>
  </section>
)
