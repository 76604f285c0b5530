// One plot over time, with the same in words for readers who cannot see it. It loads the drawing library when it is shown.
import { useEffect, useRef, useState } from 'preact/hooks'
import { formatNumber } from '../../components/units.ts'
import type { Drawing, PlotProps } from './draw.ts'

const dark = matchMedia('(prefers-color-scheme: dark)')

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' })

const formatValue = (value: number | null | undefined): string =>
  value === null || value === undefined ? '–' : formatNumber(Math.round(value))

export const Plot = ({ title, says, lines, at }: PlotProps) => {
  const box = useRef<HTMLDivElement>(null)
  const drawing = useRef<Drawing>(undefined)
  const [place, setPlace] = useState<number>()
  const latest = useRef({ lines, at })
  latest.current = { lines, at }

  useEffect(() => {
    let wanted = true
    const begin = async (): Promise<void> => {
      const { draw } = await import('./draw.ts')
      if (!wanted || box.current === null) return
      drawing.current?.end()
      drawing.current = draw(box.current, latest.current, setPlace)
    }
    const again = (): void => void begin().catch(() => undefined)
    again()
    dark.addEventListener('change', again)
    return () => {
      wanted = false
      dark.removeEventListener('change', again)
      drawing.current?.end()
      drawing.current = undefined
    }
  }, [])
  useEffect(() => drawing.current?.renew({ lines, at }), [lines, at])
  return (
    <figure class="card plot">
      <figcaption>
        <strong>{title}</strong>
        <span class="soft">{says}</span>
        <span class="legend" aria-hidden="true">
          {lines.map(({ name, colour, values }) => (
            <span key={name}>
              <i style={{ background: `var(${colour})` }} /> {name}
              {place !== undefined && <strong> {formatValue(values[place])}</strong>}
            </span>
          ))}
          {place !== undefined && at[place] !== undefined && <span>{clock.format(at[place] * 1_000)}</span>}
        </span>
      </figcaption>
      <div ref={box} class="canvas" aria-hidden="true" />
    </figure>
  )
}
