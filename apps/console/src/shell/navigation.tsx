// The way between pages, with what waits; who is signed in; whether news arrive.
import type { Status } from '@gatehouse/contracts'
import { useEffect, useState } from 'preact/hooks'
import { Mark, Untrusted } from '../components/elements.tsx'
import { type PageRow, pages } from '../pages/pages.ts'
import { Link } from '../router/link.tsx'
import { usePlace } from '../router/router.ts'
import type { StreamState } from '../unit/stream.ts'
import { useUnit } from '../unit/unit.ts'

interface NavigationProps {
  readonly page: string | undefined
  readonly status: Status | undefined
  readonly leave: () => void
}

const says: Readonly<Record<StreamState, string>> = { connecting: 'Connecting', live: 'Live', broken: 'Reconnecting' }

const Connection = () => {
  const { stream } = useUnit()
  const [state, setState] = useState(stream.state())
  useEffect(() => {
    setState(stream.state())
    return stream.listen({ state: setState })
  }, [stream])
  return (
    <p class={`connection ${state}`} role="status">
      {says[state]}
    </p>
  )
}

const current = (page: string | undefined, row: PageRow): boolean => page === row.page || (page === 'changes' && row.page === 'approvals')

const Items = ({ page, status }: Omit<NavigationProps, 'leave'>) => (
  <ul>
    {pages
      .filter(({ key }) => key !== undefined)
      .map((row) => (
        <li key={row.page}>
          <Link to={{ page: row.page }} current={current(page, row)}>
            {row.title}
            {row.page === 'approvals' && (status?.held ?? 0) > 0 && (
              <span class="badge">
                {status?.held}
                <span class="unseen"> waiting</span>
              </span>
            )}
          </Link>
        </li>
      ))}
  </ul>
)

const Who = ({ status, leave }: Omit<NavigationProps, 'page'>) => (
  <div class="who-is">
    <Connection />
    {status !== undefined && (
      <p class="soft">
        <Untrusted text={status.principal.name} />
        {status.principal.name !== status.principal.role && `, ${status.principal.role}`}
      </p>
    )}
    {status?.open === false && (
      <button type="button" class="quiet small" onClick={leave}>
        Sign out
      </button>
    )}
  </div>
)

export const Navigation = ({ page, status, leave }: NavigationProps) => {
  const [open, setOpen] = useState(false)
  const place = usePlace()
  useEffect(() => setOpen(false), [place])
  return (
    <header class={open ? 'open' : undefined}>
      <div class="top">
        <p class="brand">
          <Mark /> Gatehouse
        </p>
        <button type="button" class="quiet small menu" aria-expanded={open} aria-controls="navigation" onClick={() => setOpen(!open)}>
          Menu
          {(status?.held ?? 0) > 0 && <span class="badge">{status?.held}</span>}
        </button>
      </div>
      <div id="navigation" class="folds">
        <nav aria-label="Pages">
          <Items page={page} status={status} />
        </nav>
        <Who status={status} leave={leave} />
      </div>
    </header>
  )
}
