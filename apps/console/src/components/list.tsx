// The frame of every list: what the reader sees while it loads, when it is empty or failed, when the unit is away or frozen.
import type { ServiceError } from '@gatehouse/contracts'
import type { ComponentChildren } from 'preact'
import { Link } from '../router/link.tsx'
import { useFrozen } from '../unit/unit.ts'
import { Untrusted } from './elements.tsx'
import { ProblemNote } from './problem-note.tsx'
import { RelativeTime } from './relative-time.tsx'

export interface ListFrameProps {
  readonly live: { readonly data: unknown; readonly problem: ServiceError | undefined; readonly at?: number | undefined }
  /** How many there are, of what is shown. */
  readonly count: number
  /** What to say, and what to do, where there is nothing. */
  readonly empty: ComponentChildren
  /** The agent group that the list is about; a stop of the whole unit is shown everywhere. */
  readonly group?: string | undefined
  readonly children: ComponentChildren
}

export type ListState = 'loading' | 'failed' | 'offline' | 'empty' | 'ready'

const away: readonly string[] = ['unavailable', 'deadline']

const listStateOf = ({ live, count }: Pick<ListFrameProps, 'live' | 'count'>): ListState => {
  if (live.problem !== undefined && away.includes(live.problem.code)) return 'offline'
  if (live.problem !== undefined) return 'failed'
  if (live.data === undefined) return 'loading'
  return count === 0 ? 'empty' : 'ready'
}

const Loading = () => (
  <div class="skeleton" role="status">
    <span class="unseen">Loading</span>
    {[1, 2, 3].map((line) => (
      <span key={line} aria-hidden="true" />
    ))}
  </div>
)

const Offline = ({ at }: { readonly at: number | undefined }) => (
  <p class="note warn" role="status">
    The unit does not respond. Retrying.
    {at !== undefined && (
      <>
        {' '}
        Last answer: <RelativeTime at={new Date(at).toISOString()} />.
      </>
    )}
  </p>
)

export const FrozenNote = ({ group }: { readonly group?: string | undefined }) => {
  const freeze = useFrozen(group)
  if (freeze === undefined) return null
  return (
    <p class="note warn" role="status" data-frozen>
      {freeze.agentGroupID === undefined ? 'The unit is frozen' : `${freeze.agentGroupID} is frozen`}: nothing is launched, called or
      applied. Stopped by <Untrusted text={freeze.by} />, <RelativeTime at={freeze.at} />: <Untrusted text={freeze.reason} />{' '}
      <Link to={{ page: 'settings' }}>Settings</Link>
    </p>
  )
}

export const ListFrame = ({ live, count, empty, group, children }: ListFrameProps) => {
  const state = listStateOf({ live, count })
  return (
    <div class="list" data-state={state}>
      <FrozenNote group={group} />
      {state === 'loading' && <Loading />}
      {state === 'offline' && <Offline at={live.at} />}
      {state === 'failed' && live.problem !== undefined && <ProblemNote problem={live.problem} />}
      {state === 'empty' && <div class="empty">{empty}</div>}
      {live.data !== undefined && count > 0 && children}
    </div>
  )
}

/** The head of a table. */
export const Columns = ({ names }: { readonly names: readonly ComponentChildren[] }) => (
  <thead>
    <tr>
      {names.map((name, place) => (
        <th key={place} scope="col">
          {name}
        </th>
      ))}
    </tr>
  </thead>
)
