// Draws lines over time with uPlot. Only this file imports it, and it is loaded when a plot is first shown.
import UPlot from 'uplot'

export interface Line {
  readonly name: string
  /** Name of a custom property. */
  readonly colour: string
  readonly values: readonly (number | null)[]
}

export interface PlotProps {
  readonly title: string
  readonly says: string
  readonly lines: readonly Line[]
  /** Seconds since 1970. */
  readonly at: readonly number[]
}

type Drawn = Pick<PlotProps, 'lines' | 'at'>

export interface Drawing {
  renew(drawn: Drawn): void
  end(): void
}

const height = 150
/** Seconds: few samples stand at the right end and are not pulled apart. */
const leastSpan = 600

/** A canvas knows no custom properties. */
const resolveColour = (box: HTMLElement, name: string): string => {
  box.style.color = `var(${name})`
  const { color } = getComputedStyle(box)
  box.style.color = ''
  return color
}

const spanOf = ({ data: [times] }: UPlot): [number, number] => {
  const last = times.at(-1) ?? 0
  return [Math.min(times[0] ?? last, last - leastSpan), last]
}

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' })

const dataOf = ({ lines, at }: Drawn): UPlot.AlignedData => [[...at], ...lines.map(({ values }) => [...values])]

/** Called with the place of the values under the pointer, on all plots at once. */
type Point = (place: number | undefined) => void

const optionsOf = (box: HTMLElement, { lines }: Drawn, point: Point): UPlot.Options => {
  const soft = resolveColour(box, '--soft')
  const axis: UPlot.Axis = { stroke: soft, grid: { stroke: resolveColour(box, '--line'), width: 1 }, ticks: { show: false } }
  return {
    width: Math.max(box.clientWidth, 120),
    height,
    legend: { show: false },
    cursor: { y: false, points: { size: 6 }, drag: { x: false, y: false }, sync: { key: 'unit' } },
    hooks: { setCursor: [({ cursor: { idx } }) => point(idx ?? undefined)] },
    scales: {
      x: { range: spanOf },
      y: { range: (_plot, _least, most) => [0, Math.max(most * 1.12, 1)] },
    },
    axes: [
      { ...axis, size: 30, values: (_plot, times) => times.map((time) => clock.format(time * 1_000)) },
      { ...axis, size: 46 },
    ],
    series: [
      {},
      ...lines.map(({ name, colour }) => ({
        label: name,
        stroke: resolveColour(box, colour),
        width: 1.5,
        spanGaps: false,
        points: { show: lines[0] !== undefined && lines[0].values.length < 30, size: 4 },
      })),
    ],
  }
}

export const draw = (box: HTMLElement, drawn: Drawn, point: Point): Drawing => {
  const plot = new UPlot(optionsOf(box, drawn, point), dataOf(drawn), box)
  const watch = new ResizeObserver(() => plot.setSize({ width: Math.max(box.clientWidth, 120), height }))
  watch.observe(box)
  return {
    renew: (next) => plot.setData(dataOf(next)),
    end: () => {
      watch.disconnect()
      plot.destroy()
    },
  }
}
