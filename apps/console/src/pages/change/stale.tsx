// The change became another while somebody looked at it: what they had seen, and that the page shows the new one.
import { type ChangeView, Evidence } from '@gatehouse/contracts'
import { ChangeDiff } from '../../parts/diff/change-diff.tsx'
import { readAs } from '../../parts/diff/kind-of.ts'
import { Fold } from '../../parts/fold.tsx'
import type { Seen } from './seen.ts'

export const Stale = ({ change, seen }: { readonly change: ChangeView; readonly seen: Seen }) => {
  const before = seen.change
  if (!seen.moved || before === undefined || change.state !== 'held') return null
  return (
    <div class="note warn" role="alert">
      <p>
        <strong>This change is not what you saw before.</strong> What it would write over, or its evidence, has moved. Below stands what
        would happen now; nothing was approved.
      </p>
      <Fold summary="As you saw it before">
        {() => <ChangeDiff change={before} evidence={readAs(Evidence, before.evidence) ?? null} />}
      </Fold>
      <p class="actions">
        <button type="button" onClick={seen.read}>
          I have read the new difference
        </button>
      </p>
    </div>
  )
}
