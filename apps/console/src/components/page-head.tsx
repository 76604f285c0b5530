// The title of a page, what the page is for, and its actions. It takes the focus when the page opens.
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

interface PageHeadProps {
  readonly title: string
  readonly about?: ComponentChildren
  readonly children?: ComponentChildren
}

export const PageHead = ({ title, about, children }: PageHeadProps) => {
  const head = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    // A dialog that is open keeps the focus.
    if (document.querySelector('dialog[open]') === null) head.current?.focus({ preventScroll: true })
  }, [])
  return (
    <div class="page-head">
      <div>
        <h1 ref={head} tabIndex={-1}>
          {title}
        </h1>
        {about !== undefined && <p class="soft">{about}</p>}
      </div>
      {children !== undefined && <div class="actions">{children}</div>}
    </div>
  )
}
