// Something that is made only once it is opened: a page with hundreds of them stays quick.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'

interface FoldProps {
  readonly summary: ComponentChildren
  readonly open?: boolean
  readonly children: () => ComponentChildren
  readonly class?: string
}

export const Fold = ({ summary, open = false, children, class: name }: FoldProps) => {
  const [isOpen, setOpen] = useState(open)
  return (
    <details class={name} open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{summary}</summary>
      {isOpen && children()}
    </details>
  )
}
