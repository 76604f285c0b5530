// The strip of tiles: what needs attention, each with the page that says more.
import type { Change, SessionStatus, Status, StatusSample } from '@gatehouse/contracts'
import type { ComponentChildren } from 'preact'
import { Icon } from '../../components/icon.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { formatDuration, formatNumber, formatShort } from '../../components/units.ts'
import { everyPage } from '../../live/every-page.ts'
import { useGroups } from '../../live/use-list.ts'
import { useLive } from '../../live/use-live.ts'
import { Link } from '../../router/link.tsx'
import type { Target } from '../../router/router.ts'
import { useApi, useUnit } from '../../unit/unit.ts'

interface TileProps {
  readonly title: string
  readonly to: Target
  readonly value: ComponentChildren
  readonly tone?: 'warn' | 'bad' | 'good' | undefined
  readonly children?: ComponentChildren
}

const Tile = ({ title, to, value, tone, children }: TileProps) => (
  <li class={`tile ${tone ?? ''}`}>
    <Link to={to}>{title}</Link>
    <p class="tile-value">{value}</p>
    <p class="tile-more">{children}</p>
  </li>
)

const width = 96
const height = 24

/** A line without axes; the numbers are in the text beside it. */
const Spark = ({ values }: { readonly values: readonly number[] }) => {
  const top = Math.max(...values, 1)
  const points = values.map(
    (value, place) => `${(place / Math.max(values.length - 1, 1)) * width},${height - 1 - (value / top) * (height - 3)}`,
  )
  return (
    <svg class="spark" viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" aria-hidden="true">
      <polyline points={points.join(' ')} fill="none" stroke="currentColor" stroke-width="1.5" vector-effect="non-scaling-stroke" />
    </svg>
  )
}

const sumOf = (samples: readonly StatusSample[], pick: (sample: StatusSample) => number): number =>
  samples.reduce((total, sample) => total + pick(sample), 0)

/** Sums of neighbours, so that a short line still has a shape. */
const bucketsOf = (samples: readonly StatusSample[], pick: (sample: StatusSample) => number, count = 30): readonly number[] => {
  const size = Math.max(1, Math.ceil(samples.length / count))
  return Array.from({ length: Math.ceil(samples.length / size) }, (_, place) =>
    sumOf(samples.slice(place * size, (place + 1) * size), pick),
  )
}

const Pending = ({ items, held }: { readonly items: readonly Change[]; readonly held: number }) => {
  const count = (risk: Change['risk']): number => items.filter((change) => change.risk === risk).length
  const oldest = items.reduce<string | undefined>(
    (old, { createdAt }) => (old === undefined || createdAt < old ? createdAt : old),
    undefined,
  )
  return (
    <Tile title="Pending" to={{ page: 'approvals' }} value={held} tone={count('high') > 0 ? 'bad' : held > 0 ? 'warn' : undefined}>
      {held === 0 ? (
        'no decision needed'
      ) : (
        <>
          <span class="by-risk">
            {count('high')} high · {count('medium')} medium · {count('low')} low
          </span>
          {oldest !== undefined && (
            <>
              oldest <RelativeTime at={oldest} />
            </>
          )}
        </>
      )}
    </Tile>
  )
}

const Calls = ({ samples, every }: { readonly samples: readonly StatusSample[]; readonly every: number }) => {
  const recent = samples.slice(-Math.ceil(300 / every))
  const minutes = Math.max((recent.length * every) / 60, 1 / 60)
  const rate = sumOf(recent, ({ calls }) => calls) / minutes
  const slow = samples.findLast(({ callP95 }) => callP95 !== undefined)?.callP95
  const wrong = sumOf(samples, ({ callErrors }) => callErrors)
  return (
    <>
      <Tile
        title="Refused or failed, 1 h"
        to={{ page: 'calls', query: { outcome: 'refused' } }}
        value={formatNumber(wrong)}
        tone={wrong > 0 ? 'warn' : undefined}
      >
        <Spark values={bucketsOf(samples, ({ callErrors }) => callErrors)} />
      </Tile>
      <Tile title="Tool calls" to={{ page: 'calls' }} value={`${rate < 10 ? rate.toFixed(1) : Math.round(rate)} / min`}>
        {slow === undefined ? 'no recent call' : `p95 ${formatDuration(slow)}`}
        <Spark values={bucketsOf(samples, ({ calls }) => calls)} />
      </Tile>
    </>
  )
}

const Tokens = () => {
  const api = useApi()
  const models = useLive((signal) => api.models.list({ signal }), { every: 15_000 })
  const groups = useGroups().data ?? []
  const spent = models.data?.spending ?? []
  const total = spent.reduce((sum, { tokens }) => sum + tokens, 0)
  const limits = groups.flatMap(({ limits: { modelTokensPerDay } }) => modelTokensPerDay ?? [])
  const near = groups.filter(({ id, limits: { modelTokensPerDay } }) => {
    const used = spent.find(({ agentGroupID }) => agentGroupID === id)?.tokens ?? 0
    return modelTokensPerDay !== undefined && used > 0.8 * modelTokensPerDay
  })
  return (
    <Tile
      title="Tokens today"
      to={{ page: 'calls', query: { show: 'models' } }}
      value={formatShort(total)}
      tone={near.length > 0 ? 'warn' : undefined}
    >
      {near.length > 0
        ? `near the limit: ${near.map(({ id }) => id).join(', ')}`
        : limits.length > 0
          ? `${limits.length} ${limits.length === 1 ? 'group has a limit' : 'groups have limits'}`
          : 'no limits set'}
    </Tile>
  )
}

const Sessions = ({ items }: { readonly items: readonly SessionStatus[] }) => {
  const count = (state: SessionStatus['state']): number => items.filter((item) => item.state === state).length
  const parked = count('parked')
  return (
    <Tile title="Sessions" to={{ page: 'sessions' }} value={items.length} tone={parked > 0 ? 'warn' : undefined}>
      {count('live')} live, {parked} parked
    </Tile>
  )
}

const troublesOf = ({ processes, degraded, sandbox }: Status): readonly string[] => [
  ...new Set([
    ...degraded,
    ...processes.filter(({ state }) => state !== 'ready').map(({ name, state }) => `${name} ${state}`),
    ...(sandbox.status === 'refused' ? ['sandbox'] : []),
  ]),
]

const Health = ({ status }: { readonly status: Status }) => {
  const troubles = troublesOf(status)
  return (
    <Tile
      title="Health"
      to={{ page: 'settings' }}
      tone={troubles.length > 0 ? 'bad' : 'good'}
      value={
        <>
          <Icon name={troubles.length > 0 ? 'warning' : 'good'} /> {troubles.length > 0 ? 'Degraded' : 'All good'}
        </>
      }
    >
      {troubles.length > 0 ? troubles.join(', ') : `${status.processes.length} processes ready`}
    </Tile>
  )
}

interface TilesProps {
  readonly pending: readonly Change[]
  readonly samples: readonly StatusSample[]
  readonly every: number
}

export const Tiles = ({ pending, samples, every }: TilesProps) => {
  const api = useApi()
  const { status } = useUnit()
  const hasSandbox = status !== undefined && status.sandbox.status !== 'off'
  const sessions = useLive((signal) => (hasSandbox ? everyPage((page) => api.sessions.list(page, { signal })) : Promise.resolve([])), {
    of: [hasSandbox],
    every: 5_000,
  })
  return (
    <ul class="tiles" aria-label="State of the unit">
      <Pending items={pending} held={status?.held ?? 0} />
      <Calls samples={samples} every={every} />
      <Tokens />
      {hasSandbox && <Sessions items={sessions.data ?? []} />}
      {status !== undefined && <Health status={status} />}
    </ul>
  )
}
