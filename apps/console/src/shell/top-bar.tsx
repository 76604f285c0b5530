// The bar above each page: where the reader is, search, the emergency stop, the connection, and who is signed in.
import type { Status } from '@gatehouse/contracts'
import { useEffect, useState } from 'preact/hooks'
import { wallMs } from '../clock.ts'
import { Dialog } from '../components/dialog.tsx'
import { Untrusted } from '../components/elements.tsx'
import { Freezes } from '../components/freezes.tsx'
import { Icon } from '../components/icon.tsx'
import { findPage } from '../pages/pages.ts'
import { Link } from '../router/link.tsx'
import { usePlace } from '../router/router.ts'
import type { StreamState } from '../unit/stream.ts'
import { useMissingRole, useUnit } from '../unit/unit.ts'

const Breadcrumb = () => {
  const { page, rest } = usePlace()
  const row = findPage(page === 'changes' ? 'approvals' : page)
  if (row === undefined) return <span class="crumbs" />
  const [detail] = rest
  return (
    <nav class="crumbs" aria-label="Breadcrumb">
      {detail === undefined ? (
        <span>{row.title}</span>
      ) : (
        <>
          <Link to={{ page: row.page }} label={`All: ${row.title}`}>
            {row.title}
          </Link>
          <Icon name="right" />
          <span class="crumb">
            <Untrusted text={detail} />
          </span>
        </>
      )}
    </nav>
  )
}

const labels: Readonly<Record<StreamState, string>> = { connecting: 'Connecting', live: 'Live', broken: 'Reconnecting' }

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' })

const Connection = () => {
  const { stream } = useUnit()
  const [state, setState] = useState(stream.state())
  const [since, setSince] = useState<number>()
  useEffect(() => {
    const show = (next: StreamState): void => {
      setState(next)
      setSince(next === 'live' ? undefined : wallMs())
    }
    show(stream.state())
    return stream.listen({ state: show })
  }, [stream])
  return (
    <p class={`connection ${state}`} role="status">
      <span>{labels[state]}</span>
      {state === 'broken' && since !== undefined && <span class="since"> offline since {clock.format(since)}</span>}
    </p>
  )
}

const freezeLabel = (frozen: Status['frozen']): string => {
  if (frozen.some(({ agentGroupID }) => agentGroupID === undefined)) return 'Unit frozen'
  return frozen.length === 0 ? 'Freeze' : `${frozen.length} frozen`
}

const FreezeButton = ({ frozen }: Pick<Status, 'frozen'>) => {
  const [open, setOpen] = useState(false)
  const mayFreeze = useMissingRole('approver') === undefined
  if (!mayFreeze && frozen.length === 0) return null
  return (
    <>
      <button
        type="button"
        class={frozen.length > 0 ? 'quiet small freeze frozen' : 'quiet small freeze'}
        title={frozen.map(({ agentGroupID = 'whole unit', by, at }) => `${agentGroupID}: by ${by}, ${at}`).join('\n') || undefined}
        onClick={() => setOpen(true)}
      >
        <Icon name="freeze" /> <span class="label">{freezeLabel(frozen)}</span>
      </button>
      {open && (
        <Dialog title="Emergency stop" close={() => setOpen(false)}>
          <Freezes />
        </Dialog>
      )}
    </>
  )
}

const Person = ({ status, leave }: { readonly status: Status; readonly leave: () => void }) => {
  const { name, role } = status.principal
  return (
    <div class="person">
      <Icon name="person" />
      <span class="label">
        <Untrusted text={name} />
        {name !== role && <span class="soft"> {role}</span>}
      </span>
      {!status.open && (
        <button type="button" class="bare" onClick={leave} title="Sign out">
          <Icon name="leave" />
          <span class="unseen">Sign out</span>
        </button>
      )}
    </div>
  )
}

interface TopBarProps {
  readonly status: Status | undefined
  readonly leave: () => void
  readonly search: () => void
}

const isApple = /mac|iphone|ipad/i.test(navigator.userAgent)

export const TopBar = ({ status, leave, search }: TopBarProps) => (
  <header class="top-bar">
    <Breadcrumb />
    <button type="button" class="quiet small find" onClick={search}>
      <Icon name="search" /> <span class="label">Search or run a command</span>
      <kbd>{isApple ? '⌘K' : 'Ctrl K'}</kbd>
    </button>
    {status !== undefined && <FreezeButton frozen={status.frozen} />}
    <Connection />
    {status !== undefined && <Person status={status} leave={leave} />}
  </header>
)
