// The last hour in plots, each with its sum in words.
import type { StatusSample } from '@gatehouse/contracts'
import { useMemo } from 'preact/hooks'
import { ListFrame } from '../../components/list.tsx'
import { useLive } from '../../live/use-live.ts'
import { useApi } from '../../unit/unit.ts'
import type { PlotProps } from './draw.ts'
import { Plot } from './plot.tsx'

const sumOf = (samples: readonly StatusSample[], of: (sample: StatusSample) => number): number =>
  samples.reduce((total, sample) => total + of(sample), 0)

const shown = new Intl.NumberFormat('en', { maximumFractionDigits: 0 })

const mostOf = (values: readonly (number | null)[]): string => {
  const known = values.filter((value) => value !== null)
  return known.length === 0 ? 'no call' : `at most ${shown.format(Math.max(...known))} ms`
}

type Drawn = Omit<PlotProps, 'at'>

const callPlots = (samples: readonly StatusSample[]): readonly Drawn[] => {
  const slow = samples.map(({ callP95 }) => callP95 ?? null)
  return [
    {
      title: 'Tool calls and lists',
      says: `${shown.format(sumOf(samples, ({ calls }) => calls))}, of which ${shown.format(sumOf(samples, ({ callErrors }) => callErrors))} went wrong or were refused`,
      lines: [
        { name: 'all', colour: '--accent', values: samples.map(({ calls }) => calls) },
        { name: 'wrong or refused', colour: '--bad', values: samples.map(({ callErrors }) => callErrors) },
      ],
    },
    {
      title: 'Time of a call, ms',
      says: `95 of 100 calls: ${mostOf(slow)}`,
      lines: [
        { name: 'half', colour: '--accent', values: samples.map(({ callP50 }) => callP50 ?? null) },
        { name: '95 of 100', colour: '--warn', values: slow },
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
    title: 'Decisions, and what waits',
    says: `${shown.format(sumOf(samples, ({ decisions }) => decisions))} decisions, ${samples.at(-1)?.held ?? 0} waiting now`,
    lines: [
      { name: 'decisions', colour: '--accent', values: samples.map(({ decisions }) => decisions) },
      { name: 'waiting', colour: '--warn', values: samples.map(({ held }) => held) },
    ],
  },
]

export const LastHour = () => {
  const api = useApi()
  const live = useLive((signal) => api.history({ signal }), { every: 10_000 })
  const samples = live.data?.samples ?? []
  const at = useMemo(() => samples.map((sample) => Date.parse(sample.at) / 1_000), [live.data])
  const plots = useMemo(() => [...callPlots(samples), ...otherPlots(samples)], [live.data])
  return (
    <section aria-labelledby="hour">
      <h2 id="hour">The last hour</h2>
      <ListFrame
        live={live}
        count={samples.length}
        empty={<p>The unit has just started: the first numbers come in {live.data?.every ?? 10} seconds.</p>}
      >
        <p class="soft">Counts of {live.data?.every} seconds each.</p>
        <div class="plots">
          {plots.map((plot) => (
            <Plot key={plot.title} {...plot} at={at} />
          ))}
        </div>
      </ListFrame>
    </section>
  )
}
