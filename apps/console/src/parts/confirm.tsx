// Asks before something that cannot be taken back, with a reason where one is kept.
import { useState } from 'preact/hooks'
import { Dialog } from './dialog.tsx'
import { ProblemNote } from './problem-note.tsx'
import { useAct } from './use-act.ts'

interface ConfirmProps {
  readonly title: string
  readonly says: string
  readonly act: string
  /** Absent: no reason is asked for. */
  readonly reason?: 'may' | 'must'
  readonly run: (reason: string) => Promise<unknown>
  readonly close: () => void
}

export const Confirm = ({ title, says, act: label, reason: asks, run, close }: ConfirmProps) => {
  const [reason, setReason] = useState('')
  const act = useAct()
  const submit = async (): Promise<void> => {
    if (await act.run(() => run(reason.trim()))) close()
  }
  return (
    <Dialog title={title} close={close}>
      <p>{says}</p>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          void submit()
        }}
      >
        {asks !== undefined && (
          <label class="field">
            Reason{asks === 'may' && ' (optional)'}
            <input value={reason} required={asks === 'must'} maxLength={4096} onInput={(event) => setReason(event.currentTarget.value)} />
          </label>
        )}
        {act.problem !== undefined && <ProblemNote problem={act.problem} />}
        <button type="submit" class="danger" disabled={act.busy}>
          {label}
        </button>
      </form>
    </Dialog>
  )
}
