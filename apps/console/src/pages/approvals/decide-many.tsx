// Decides several selected changes with one reason. Each is a decision of its own in the audit log.
import { type Change, toServiceError } from '@gatehouse/contracts'
import { useState } from 'preact/hooks'
import { changeTitle } from '../../components/diff/change-title.ts'
import { Dialog } from '../../components/dialog.tsx'
import { Untrusted } from '../../components/elements.tsx'
import { notify } from '../../components/notices.tsx'
import { RiskMark } from '../../components/risk.tsx'
import { useApi, useSignature, useUnit } from '../../unit/unit.ts'
import { whyNotApprove } from '../change/approval-rights.ts'

type Outcome = 'approve' | 'reject'

interface DecideManyProps {
  readonly selected: readonly Change[]
  readonly clear: () => void
  readonly refresh: () => void
}

interface Failure {
  readonly change: Change
  readonly detail: string
}

interface AskProps extends DecideManyProps {
  readonly outcome: Outcome
  readonly close: () => void
}

const Ask = ({ outcome, selected, clear, refresh, close }: AskProps) => {
  const api = useApi()
  const { label } = useSignature()
  const [reason, setReason] = useState('')
  const [done, setDone] = useState<number>()
  const [failures, setFailures] = useState<readonly Failure[]>([])
  const run = async (): Promise<void> => {
    const failed: Failure[] = []
    for (const [place, change] of selected.entries()) {
      setDone(place)
      try {
        const text = reason.trim()
        await api.changes.decide(change.id, { outcome, decidedBy: label, digest: change.digest, ...(text !== '' && { reason: text }) })
      } catch (error) {
        failed.push({ change, detail: toServiceError(error).detail })
      }
    }
    setDone(undefined)
    setFailures(failed)
    refresh()
    notify(
      `${selected.length - failed.length} ${outcome === 'approve' ? 'approved' : 'rejected'}${failed.length > 0 ? `, ${failed.length} not decided` : ''}.`,
    )
    if (failed.length > 0) return
    clear()
    close()
  }
  return (
    <Dialog title={`${outcome === 'approve' ? 'Approve' : 'Reject'} ${selected.length} changes?`} close={close}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          void run()
        }}
      >
        <ul class="plain many">
          {selected.map((change) => (
            <li key={change.id}>
              <RiskMark risk={change.risk} /> <Untrusted text={changeTitle(change)} />
            </li>
          ))}
        </ul>
        {failures.map(({ change, detail }) => (
          <p key={change.id} class="note bad" role="alert">
            <Untrusted text={`${changeTitle(change)}: ${detail}`} />
          </p>
        ))}
        <label class="field">
          Reason (optional)
          <textarea rows={2} value={reason} maxLength={4096} onInput={(event) => setReason(event.currentTarget.value)} />
        </label>
        <p class="hint">The audit log records one decision for each change.</p>
        <button type="submit" class={outcome === 'reject' ? 'danger' : ''} disabled={done !== undefined}>
          {done === undefined ? `${outcome === 'approve' ? 'Approve' : 'Reject'} ${selected.length}` : `${done} of ${selected.length} …`}
        </button>
      </form>
    </Dialog>
  )
}

export const DecideMany = (props: DecideManyProps) => {
  const { selected, clear } = props
  const { status } = useUnit()
  const [asks, setAsks] = useState<Outcome>()
  if (selected.length === 0) return null
  const isHarmless = selected.every((change) => change.risk === 'low' && change.approvals.needed < 2)
  const isOwn = selected.some((change) => whyNotApprove(change, status) !== undefined)
  const obstacle = isHarmless ? (isOwn ? 'You requested one of them.' : undefined) : 'Only changes of low risk that need one approval.'
  return (
    <div class="selection" role="status">
      <strong>{selected.length} selected</strong>
      <button type="button" class="danger small" onClick={() => setAsks('reject')}>
        Reject {selected.length} …
      </button>
      <button type="button" class="small" disabled={obstacle !== undefined} title={obstacle} onClick={() => setAsks('approve')}>
        Approve {selected.length} …
      </button>
      <button type="button" class="quiet small" onClick={clear}>
        Clear
      </button>
      {obstacle !== undefined && <span class="hint">To approve together: {obstacle.charAt(0).toLowerCase() + obstacle.slice(1)}</span>}
      {asks !== undefined && <Ask {...props} outcome={asks} close={() => setAsks(undefined)} />}
    </div>
  )
}
