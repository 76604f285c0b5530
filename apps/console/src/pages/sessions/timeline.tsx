// The events of a session on one axis, a lane for each kind. The list below it says the same in words.
import { formatDuration } from '../../components/units.ts'
import type { Axis } from './axis.ts'
import { lanes, laneTitles, type SessionEvent } from './session-events.ts'

const percent = (part: number): string => `${(part * 100).toFixed(3)}%`

const clock = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' })
const dayAndClock = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' })

const describe = ({ title, text = '', duration, tag }: SessionEvent): string =>
  [title, text, tag ?? '', duration === undefined ? '' : formatDuration(duration)].filter((part) => part !== '').join(', ')

interface MarkProps {
  readonly event: SessionEvent
  readonly axis: Axis
  readonly picked: string | undefined
  readonly pick: (key: string | undefined) => void
}

/** A bar for what took time, a dot for what did not. */
const Mark = ({ event, axis, picked, pick }: MarkProps) => {
  const from = axis.place(event.at)
  const to = event.isOpen === true ? 1 : axis.place(event.at + (event.duration ?? 0))
  const isBar = event.duration !== undefined || event.isOpen === true
  return (
    <span
      class={`mark-${isBar ? 'bar' : 'dot'} ${event.tone} ${event.isOpen === true ? 'open' : ''} ${picked === event.key ? 'picked' : ''}`}
      style={{ left: percent(from), ...(isBar && { width: percent(Math.max(to - from, 0)) }) }}
      title={describe(event)}
      onMouseEnter={() => pick(event.key)}
      onMouseLeave={() => pick(undefined)}
    />
  )
}

interface TimelineProps extends Omit<MarkProps, 'event'> {
  readonly events: readonly SessionEvent[]
}

export const Timeline = ({ events, axis, picked, pick }: TimelineProps) => (
  <figure class="lanes card">
    <figcaption class="unseen">
      {events.length} events in {formatDuration(axis.end - axis.start)}
    </figcaption>
    {lanes.map((lane) => {
      const own = events.filter((event) => event.lane === lane)
      if (own.length === 0) return null
      return (
        <div key={lane} class="lane">
          <span class="lane-title">
            {laneTitles[lane]} <span class="soft">{own.length}</span>
          </span>
          <div class="track" aria-hidden="true">
            {axis.gaps.map(({ from, to }) => (
              <span key={from} class="track-gap" style={{ left: percent(from), width: percent(to - from) }} />
            ))}
            {own.map((event) => (
              <Mark key={event.key} event={event} axis={axis} picked={picked} pick={pick} />
            ))}
          </div>
        </div>
      )
    })}
    <div class="lane axis">
      <span class="lane-title soft">{formatDuration(axis.end - axis.start)}</span>
      <div class="track" aria-hidden="true">
        <time>{dayAndClock.format(axis.start)}</time>
        {axis.gaps
          .filter(({ from, to }) => to - from > 0.08 && from + to > 0.5 && from + to < 1.7)
          .map(({ from, to, length }) => (
            <span key={from} class="gap-length" style={{ left: percent(from), width: percent(to - from) }}>
              {formatDuration(length)}
            </span>
          ))}
        <time>{clock.format(axis.end)}</time>
      </div>
    </div>
  </figure>
)
