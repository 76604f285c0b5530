// The way on: the next change that waits, oldest first.
import { type ChangeView, visible } from '@gatehouse/contracts'
import { useShortcut } from '../../keyboard/use-shortcut.ts'
import { useLive } from '../../live/use-live.ts'
import { Link } from '../../router/link.tsx'
import { go } from '../../router/router.ts'
import { useApi } from '../../unit/unit.ts'

/** Behind this one; after the last, from the first. */
const behind = <C extends { readonly id: string }>(items: readonly C[], id: string): C | undefined =>
  items.find((item) => item.id > id) ?? items.find((item) => item.id !== id)

export const Next = ({ change }: { readonly change: ChangeView }) => {
  const api = useApi()
  const waiting = useLive((signal) => api.changes.pending({ limit: 50 }, { signal }), {
    of: [change.id],
    wants: ({ changeID }) => changeID !== undefined,
  })
  const next = behind(waiting.data?.items ?? [], change.id)
  useShortcut('n', 'Next change that waits', () => next !== undefined && go({ page: 'changes', rest: [next.id] }))
  if (waiting.data === undefined) return null
  return (
    <p class="next">
      {next === undefined ? (
        <span class="soft">Nothing else waits.</span>
      ) : (
        <>
          <span class="soft">Next: </span>
          <Link to={{ page: 'changes', rest: [next.id] }}>{visible(next.summary)}</Link>
        </>
      )}
    </p>
  )
}
