// What the reader has seen of a change. Where the change moves, the page says so, and nothing is approved unread.
import type { ChangeView } from '@gatehouse/contracts'
import { useEffect, useState } from 'preact/hooks'

export interface Seen {
  /** As the reader first saw it, or last said to have seen it. */
  readonly change: ChangeView | undefined
  /** The change is another now. */
  readonly moved: boolean
  readonly read: () => void
}

export const useSeen = (change: ChangeView | undefined): Seen => {
  const [seen, setSeen] = useState<ChangeView>()
  useEffect(() => {
    if (seen === undefined && change !== undefined) setSeen(change)
  }, [change, seen])
  return {
    change: seen,
    moved: seen !== undefined && change !== undefined && seen.digest !== change.digest,
    read: () => setSeen(change),
  }
}
