// Small elements that every page uses.
import { visible, visibleJson } from '@gatehouse/contracts'
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'

/** Text that somebody else wrote: always a text node, with characters that hide or reorder text shown by their code. */
export const Untrusted = ({ text }: { readonly text: string }) => <>{visible(text)}</>

/** A value as JSON, with hidden characters shown by their code. */
export const Json = ({ value }: { readonly value: unknown }) => <pre class="json">{visibleJson(JSON.stringify(value, null, 2) ?? '')}</pre>

/** Why the reader may not do something, in place of the button. */
export const MissingRole = ({ why }: { readonly why: string | undefined }) => (why === undefined ? null : <p class="hint">{why}</p>)

/** The logo. */
export const Mark = () => (
  <svg class="mark" viewBox="0 0 24 24" width="22" height="22" aria-hidden="true">
    <path
      d="M4 21V10a8 8 0 0 1 16 0v11M8.5 21v-9m7 9v-9M12 21V8.5M2.5 21h19"
      fill="none"
      stroke="currentColor"
      stroke-width="1.8"
      stroke-linecap="round"
    />
  </svg>
)

interface CollapsibleProps {
  readonly summary: ComponentChildren
  readonly open?: boolean
  readonly children: () => ComponentChildren
  readonly class?: string
}

/** Renders its content only once it is opened, so that a page with hundreds of them stays fast. */
export const Collapsible = ({ summary, open = false, children, class: name }: CollapsibleProps) => {
  const [isOpen, setOpen] = useState(open)
  return (
    <details class={name} open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{summary}</summary>
      {isOpen && children()}
    </details>
  )
}
