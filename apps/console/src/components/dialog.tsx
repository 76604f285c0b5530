// Dialogs over the page: focus stays inside, and Escape closes a dialog unless it must stay.
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { ProblemNote } from './problem-note.tsx'
import { useAction } from './use-action.ts'

interface DialogProps {
  readonly title: string
  readonly close?: () => void
  /** It cannot be closed by hand. */
  readonly stays?: boolean
  readonly children: ComponentChildren
}

export const Dialog = ({ title, close, stays = false, children }: DialogProps) => {
  const box = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const before = document.activeElement
    box.current?.showModal()
    return () => {
      if (before instanceof HTMLElement) before.focus()
    }
  }, [])
  return (
    <dialog
      ref={box}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault()
        if (!stays) close?.()
      }}
      onKeyDown={(event) => {
        // A browser lets a second Escape close what a first one may not.
        if (stays && event.key === 'Escape') event.preventDefault()
      }}
    >
      <h2 id={id}>{title}</h2>
      {children}
      {close !== undefined && (
        <p class="actions">
          <button type="button" class="quiet" onClick={close}>
            Close
          </button>
        </p>
      )}
    </dialog>
  )
}

interface ConfirmProps {
  readonly title: string
  readonly says: string
  readonly act: string
  /** Absent: the dialog has no field for a reason. */
  readonly reason?: 'may' | 'must'
  readonly run: (reason: string) => Promise<unknown>
  readonly close: () => void
}

/** Asks before an action that cannot be undone, with a reason where the unit records one. */
export const Confirm = ({ title, says, act: label, reason: asks, run, close }: ConfirmProps) => {
  const [reason, setReason] = useState('')
  const act = useAction()
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
