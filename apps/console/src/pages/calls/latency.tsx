// A histogram of the latency of the calls that are shown, by outcome, with p50 and p95.
import { formatDuration } from '../../components/units.ts'
import { bucketsOf, percentile, type Timed } from './buckets.ts'

export const Latency = ({ items }: { readonly items: readonly Timed[] }) => {
  const buckets = bucketsOf(items)
  const top = Math.max(...buckets.map(({ ok, other }) => ok + other), 1)
  const p50 = percentile(items, 0.5)
  const p95 = percentile(items, 0.95)
  const wrong = items.filter(({ outcome }) => outcome !== 'ok').length
  return (
    <section class="latency" aria-label="Latency of the calls shown">
      <dl>
        <dt>Calls shown</dt>
        <dd>{items.length}</dd>
        <dt>Refused or failed</dt>
        <dd>{wrong}</dd>
        <dt>p50</dt>
        <dd>{p50 === undefined ? '–' : formatDuration(p50)}</dd>
        <dt>p95</dt>
        <dd>{p95 === undefined ? '–' : formatDuration(p95)}</dd>
      </dl>
      <ol class="bars">
        {buckets.map(({ label, ok, other }) => (
          <li key={label}>
            <span class="bar" aria-hidden="true">
              <span class="other" style={{ height: `${(other / top) * 44}px` }} />
              <span class="ok" style={{ height: `${(ok / top) * 44}px` }} />
            </span>
            <span class="soft">{label}</span>
            <span class="unseen">
              {ok} ok, {other} refused or failed
            </span>
          </li>
        ))}
      </ol>
    </section>
  )
}
