// A native dialog over the page: focus stays in it, Escape closes it unless it stays.
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'

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
