// The events of a session, one line each: when, how long after the one before, what, its outcome and its duration.
import { Untrusted } from '../../components/elements.tsx'
import { Icon, type IconName } from '../../components/icon.tsx'
import { StateTag } from '../../components/state-tag.tsx'
import { formatDuration } from '../../components/units.ts'
import { Link } from '../../router/link.tsx'
import { useFilter } from '../../router/router.ts'
import { type Lane, lanes, laneTitles, type SessionEvent } from './session-events.ts'

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit', fractionalSecondDigits: 3 })

const icons: Readonly<Record<SessionEvent['sign'], IconName>> = {
  launch: 'boxes',
  end: 'ended',
  kill: 'bad',
  resume: 'good',
  message: 'chat',
  request: 'agents',
  call: 'calls',
  asked: 'pending',
  approved: 'good',
  rejected: 'bad',
  applied: 'done',
}

interface RowProps {
  readonly event: SessionEvent
  /** Milliseconds since the event before. */
  readonly since: number | undefined
  readonly isPicked: boolean
  readonly pick: (key: string | undefined) => void
}

const Title = ({ event: { title, to } }: Pick<RowProps, 'event'>) =>
  to === undefined ? (
    <Untrusted text={title} />
  ) : (
    <Link to={to}>
      <Untrusted text={title} />
    </Link>
  )

const Row = ({ event, since, isPicked, pick }: RowProps) => {
  const { key, at, sign, text = '', tag, state, tone, duration, isOpen } = event
  return (
    <li data-row class={isPicked ? 'picked' : ''} onMouseEnter={() => pick(key)} onMouseLeave={() => pick(undefined)}>
      <time dateTime={new Date(at).toISOString()} title={new Date(at).toISOString()}>
        {clock.format(at)}
      </time>
      <span class="since soft">{since === undefined ? '' : `+${formatDuration(since)}`}</span>
      <span class={`event-icon ${tone}`}>
        <Icon name={icons[sign]} />
      </span>
      <span class="what">
        <Title event={event} />
        {text !== '' && (
          <span class="soft">
            {' '}
            <Untrusted text={text} />
          </span>
        )}
      </span>
      <span class="outcome">
        {state !== undefined && <StateTag state={state} />}
        {tag !== undefined && (
          <span class={`tag ${tone}`}>
            <Untrusted text={tag} />
          </span>
        )}
      </span>
      <span class="number">{isOpen === true ? 'running' : duration === undefined ? '' : formatDuration(duration)}</span>
    </li>
  )
}

/** Lanes that the address hides. */
const useHidden = (): readonly [ReadonlySet<string>, (lane: Lane) => void] => {
  const [hidden, setHidden] = useFilter('hide')
  const names = new Set(hidden.split(',').filter((name) => name !== ''))
  const turn = (lane: Lane): void => {
    if (!names.delete(lane)) names.add(lane)
    setHidden([...names].join(','))
  }
  return [names, turn]
}

interface HistoryProps {
  /** Oldest first. */
  readonly all: readonly SessionEvent[]
  readonly picked: string | undefined
  readonly pick: (key: string | undefined) => void
}

export const History = ({ all, picked, pick }: HistoryProps) => {
  const [hidden, turn] = useHidden()
  const [order, setOrder] = useFilter('order')
  const shown = all.filter(({ lane }) => !hidden.has(lane))
  const rows = shown.map((event, place) => {
    const before = shown[place - 1]
    return { event, since: before === undefined ? undefined : Math.max(0, event.at - before.at) }
  })
  return (
    <section aria-labelledby="events">
      <div class="events-head">
        <h2 id="events">Events</h2>
        <div class="chips" role="group" aria-label="Shown">
          {lanes.map((lane) => (
            <button key={lane} type="button" class="quiet small" aria-pressed={!hidden.has(lane)} onClick={() => turn(lane)}>
              {laneTitles[lane]} <span class="soft">{all.filter((event) => event.lane === lane).length}</span>
            </button>
          ))}
        </div>
        <button type="button" class="bare" onClick={() => setOrder(order === 'new' ? '' : 'new')}>
          {order === 'new' ? 'Newest first' : 'Oldest first'}
        </button>
      </div>
      <ol class="events" aria-label="Events of the session">
        {(order === 'new' ? rows.toReversed() : rows).map(({ event, since }) => (
          <Row key={event.key} event={event} since={since} isPicked={picked === event.key} pick={pick} />
        ))}
      </ol>
    </section>
  )
}
