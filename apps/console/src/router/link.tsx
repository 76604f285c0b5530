// A link to a place of the console: an ordinary one, that loads nothing when it is simply clicked.
import type { ComponentChildren } from 'preact'
import { go, hrefOf, type Target } from './router.ts'

interface LinkProps {
  readonly to: Target
  readonly children: ComponentChildren
  readonly class?: string | undefined
  readonly current?: boolean
  readonly label?: string
  /** Shown by the browser where the text is hidden for lack of room. */
  readonly title?: string
}

export const Link = ({ to, children, class: name, current = false, label, title }: LinkProps) => (
  <a
    href={hrefOf(to)}
    class={name}
    aria-current={current ? 'page' : undefined}
    aria-label={label}
    title={title}
    onClick={(event) => {
      if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
      event.preventDefault()
      go(to)
    }}
  >
    {children}
  </a>
)
