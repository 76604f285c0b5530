// The title of a page, what the page is for, and its actions. It takes the focus when the page opens.
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

interface PageHeadProps {
  readonly title: string
  /** Before the title, such as a state. */
  readonly mark?: ComponentChildren
  /** Beside another part of the page: a heading of the second level, that does not take the focus. */
  readonly isBeside?: boolean
  readonly about?: ComponentChildren
  readonly children?: ComponentChildren
}

export const PageHead = ({ title, mark, isBeside = false, about, children }: PageHeadProps) => {
  const head = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    // A dialog that is open keeps the focus.
    if (document.querySelector('dialog[open]') === null) head.current?.focus({ preventScroll: true })
  }, [])
  return (
    <div class="page-head">
      <div>
        {mark}
        {isBeside ? (
          <h2 class="title">{title}</h2>
        ) : (
          <h1 ref={head} tabIndex={-1}>
            {title}
          </h1>
        )}
        {about !== undefined && <div class="about-page">{about}</div>}
      </div>
      {children !== undefined && <div class="actions">{children}</div>}
    </div>
  )
}
