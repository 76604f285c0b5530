// One held change: what is asked in a sentence, the difference, the evidence, and the decision.
import type { Change } from '@gatehouse/contracts'
import { useState } from 'preact/hooks'
import { Diff } from '../../parts/diff.tsx'
import { Untrusted } from '../../parts/untrusted.tsx'
import { When } from '../../parts/when.tsx'

interface ChangeCardProps {
  readonly change: Change
  readonly decide: (change: Change, outcome: 'approve' | 'reject', reason: string) => Promise<void>
}

export const ChangeCard = ({ change, decide }: ChangeCardProps) => {
  const [reason, setReason] = useState('')
  const [busy, setBusy] = useState(false)
  const act = (outcome: 'approve' | 'reject') => async (): Promise<void> => {
    setBusy(true)
    await decide(change, outcome, reason.trim())
    setBusy(false)
  }
  return (
    <article class="card" aria-labelledby={`title-${change.id}`}>
      <h2 id={`title-${change.id}`}>
        <Untrusted text={change.summary} />
      </h2>
      <p class="facts">
        <span class={`risk ${change.risk}`}>{change.risk} risk</span> <code>{change.kind}</code> for <code>{change.agentGroupID}</code>,
        asked for by <Untrusted text={change.requestedBy} /> <When at={change.createdAt} />, <code>{change.id}</code>
      </p>
      {change.reason !== undefined && (
        <p>
          Reason given: <Untrusted text={change.reason} />
        </p>
      )}
      <Diff change={change} />
      <label class="inline">
        Reason (optional)
        <input value={reason} maxLength={4096} onInput={(event) => setReason(event.currentTarget.value)} />
      </label>
      <p class="actions">
        <button type="button" class="quiet" disabled={busy} onClick={() => void act('reject')()}>
          Reject
        </button>
        <button type="button" disabled={busy} onClick={() => void act('approve')()}>
          Approve exactly this
        </button>
      </p>
    </article>
  )
}
