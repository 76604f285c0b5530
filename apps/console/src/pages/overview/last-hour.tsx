// The last hour in plots, each with its sum in words.
import type { StatusHistory, StatusSample } from '@gatehouse/contracts'
import { useMemo } from 'preact/hooks'
import { ListFrame } from '../../components/list.tsx'
import { formatDuration } from '../../components/units.ts'
import type { Live } from '../../live/use-live.ts'
import type { PlotProps } from './draw.ts'
import { Plot } from './plot.tsx'

const sumOf = (samples: readonly StatusSample[], of: (sample: StatusSample) => number): number =>
  samples.reduce((total, sample) => total + of(sample), 0)

const shown = new Intl.NumberFormat('en', { maximumFractionDigits: 0 })

const highest = (values: readonly (number | null)[]): string => {
  const known = values.filter((value) => value !== null)
  return known.length === 0 ? 'no call' : `p95 up to ${formatDuration(Math.max(...known))}`
}

type Drawn = Omit<PlotProps, 'at'>

const callPlots = (samples: readonly StatusSample[]): readonly Drawn[] => {
  const slow = samples.map(({ callP95 }) => callP95 ?? null)
  return [
    {
      title: 'Tool calls',
      says: `${shown.format(sumOf(samples, ({ calls }) => calls))} calls and lists, ${shown.format(sumOf(samples, ({ callErrors }) => callErrors))} refused or failed`,
      lines: [
        { name: 'all', colour: '--accent', values: samples.map(({ calls }) => calls) },
        { name: 'refused or failed', colour: '--bad', values: samples.map(({ callErrors }) => callErrors) },
      ],
    },
    {
      title: 'Call latency, ms',
      says: highest(slow),
      lines: [
        { name: 'p50', colour: '--accent', values: samples.map(({ callP50 }) => callP50 ?? null) },
        { name: 'p95', colour: '--warn', values: slow },
      ],
    },
  ]
}

const otherPlots = (samples: readonly StatusSample[]): readonly Drawn[] => [
  {
    title: 'Model tokens',
    says: `${shown.format(sumOf(samples, ({ modelTokens }) => modelTokens))} in ${shown.format(sumOf(samples, ({ modelRequests }) => modelRequests))} requests, ${shown.format(sumOf(samples, ({ modelErrors }) => modelErrors))} failed`,
    lines: [{ name: 'tokens', colour: '--info', values: samples.map(({ modelTokens }) => modelTokens) }],
  },
  {
    title: 'Decisions and pending changes',
    says: `${shown.format(sumOf(samples, ({ decisions }) => decisions))} decisions, ${samples.at(-1)?.held ?? 0} pending now`,
    lines: [
      { name: 'decisions', colour: '--accent', values: samples.map(({ decisions }) => decisions) },
      { name: 'pending', colour: '--warn', values: samples.map(({ held }) => held) },
    ],
  },
]

export const LastHour = ({ live }: { readonly live: Live<StatusHistory> }) => {
  const samples = live.data?.samples ?? []
  const at = useMemo(() => samples.map((sample) => Date.parse(sample.at) / 1_000), [live.data])
  const plots = useMemo(() => [...callPlots(samples), ...otherPlots(samples)], [live.data])
  return (
    <section aria-labelledby="hour">
      <h2 id="hour">Last hour</h2>
      <ListFrame
        live={live}
        count={samples.length}
        empty={<p>The unit has just started. The first values appear in {live.data?.every ?? 10} seconds.</p>}
      >
        <div class="plots">
          {plots.map((plot) => (
            <Plot key={plot.title} {...plot} at={at} />
          ))}
        </div>
        <p class="hint">One point for every {live.data?.every} seconds. Hover to see values.</p>
      </ListFrame>
    </section>
  )
}
