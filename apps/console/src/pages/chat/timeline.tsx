// The conversation: its end in sight, as much of what came before on the page as the reader went back for.
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { EntryLine, keyOfEntry } from './entries.tsx'
import type { Entry } from './use-timeline.ts'

interface TimelineProps {
  readonly entries: readonly Entry[]
  readonly earlier: (() => Promise<void>) | undefined
}

const step = 120
const nearEnd = 80

/** Stays at the end while the reader is there, and where the reader is otherwise. */
const useSteadyScroll = (entries: readonly Entry[], shown: number) => {
  const box = useRef<HTMLDivElement>(null)
  const before = useRef({ atEnd: true, fromEnd: 0 })
  useLayoutEffect(() => {
    const element = box.current
    if (element === null) return
    element.scrollTop = before.current.atEnd ? element.scrollHeight : element.scrollHeight - before.current.fromEnd
  }, [entries, shown])
  const look = (): void => {
    const element = box.current
    if (element === null) return
    const fromEnd = element.scrollHeight - element.scrollTop
    before.current = { fromEnd, atEnd: fromEnd - element.clientHeight < nearEnd }
  }
  return { box, look }
}

export const Timeline = ({ entries, earlier }: TimelineProps) => {
  const [most, setMost] = useState(step)
  const [busy, setBusy] = useState(false)
  const shown = useMemo(() => entries.slice(-most), [entries, most])
  const { box, look } = useSteadyScroll(shown, most)
  const hasMore = entries.length > most || earlier !== undefined
  const back = async (): Promise<void> => {
    setBusy(true)
    if (entries.length <= most) await earlier?.().catch(() => undefined)
    setMost((value) => value + step)
    setBusy(false)
  }
  const lines = useMemo(() => shown.map((entry) => <EntryLine key={keyOfEntry(entry)} entry={entry} />), [shown])
  useEffect(() => look(), [])
  return (
    <div ref={box} class="timeline" tabIndex={0} role="log" aria-label="Messages" onScroll={look}>
      {hasMore && (
        <p class="more">
          <button type="button" class="quiet small" disabled={busy} onClick={() => void back()}>
            Show earlier
          </button>
        </p>
      )}
      <ol>{lines}</ol>
    </div>
  )
}
