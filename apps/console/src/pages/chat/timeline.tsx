// The conversation: its end in sight, and the way back to what came before.
import { useMemo, useState } from 'preact/hooks'
import { EntryLine } from './entries.tsx'
import { type Entry, keyOfEntry } from './entry.ts'
import { step, useWindow } from './use-window.ts'

interface TimelineProps {
  readonly entries: readonly Entry[]
  readonly earlier: ((before: () => void) => Promise<void>) | undefined
}

export const Timeline = ({ entries, earlier }: TimelineProps) => {
  const [busy, setBusy] = useState(false)
  const { box, shown, looked, back, forth } = useWindow(entries)
  const goBack = async (): Promise<void> => {
    if (shown.start >= step || earlier === undefined) return back()
    setBusy(true)
    await earlier(back).catch(() => undefined)
    setBusy(false)
  }
  const lines = useMemo(
    () => entries.slice(shown.start, shown.end).map((entry) => <EntryLine key={keyOfEntry(entry)} entry={entry} />),
    [entries, shown.start, shown.end],
  )
  return (
    <div ref={box} class="talk" tabIndex={0} role="log" aria-label="Messages" onScroll={looked}>
      {(shown.start > 0 || earlier !== undefined) && (
        <p class="more">
          <button type="button" class="quiet small" disabled={busy} onClick={() => void goBack()}>
            Show earlier
          </button>
        </p>
      )}
      <ol>{lines}</ol>
      {shown.end < entries.length && (
        <p class="more">
          <button type="button" class="quiet small" onClick={forth}>
            Show later
          </button>
        </p>
      )}
    </div>
  )
}
