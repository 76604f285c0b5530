// The way between pages, with the number of pending approvals: at the side, as icons where there is little room, at the foot on a phone.
import type { Status } from '@gatehouse/contracts'
import { useEffect, useState } from 'preact/hooks'
import { Mark } from '../components/elements.tsx'
import { Icon } from '../components/icon.tsx'
import { type PageRow, pages } from '../pages/pages.ts'
import { Link } from '../router/link.tsx'
import { usePlace } from '../router/router.ts'

interface NavigationProps {
  readonly page: string | undefined
  readonly status: Status | undefined
}

const isCurrent = (page: string | undefined, row: PageRow): boolean => page === row.page || (page === 'changes' && row.page === 'approvals')

const Item = ({ row, page, status }: NavigationProps & { readonly row: PageRow }) => {
  const pending = row.page === 'approvals' ? (status?.held ?? 0) : 0
  return (
    <li>
      <Link to={{ page: row.page }} current={isCurrent(page, row)} title={row.title}>
        <Icon name={row.icon} />
        <span class="label">{row.title}</span>
        {pending > 0 && (
          <span class="badge">
            {pending}
            <span class="unseen"> pending</span>
          </span>
        )}
      </Link>
    </li>
  )
}

export const Navigation = (props: NavigationProps) => {
  const [open, setOpen] = useState(false)
  const place = usePlace()
  useEffect(() => setOpen(false), [place])
  return (
    <nav class={open ? 'side open' : 'side'} aria-label="Pages">
      <p class="brand">
        <Mark /> <span class="label">Gatehouse</span>
      </p>
      <ul id="pages">
        {pages
          .filter(({ key }) => key !== undefined)
          .map((row) => (
            <Item key={row.page} {...props} row={row} />
          ))}
      </ul>
      <button type="button" class="more" aria-expanded={open} aria-controls="pages" onClick={() => setOpen(!open)}>
        <Icon name="menu" />
        <span>More</span>
      </button>
    </nav>
  )
}
