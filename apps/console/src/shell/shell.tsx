// The frame of every page: navigation, banners, shortcuts, notices, and the status of the unit.
import type { ConsoleClient } from '@gatehouse/client'
import type { Status } from '@gatehouse/contracts'
import type { ComponentChildren } from 'preact'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { Notices } from '../components/notices.tsx'
import { PageHead } from '../components/page-head.tsx'
import { type Live, useLive } from '../live/use-live.ts'
import { findPage } from '../pages/pages.ts'
import { Link } from '../router/link.tsx'
import { usePlace } from '../router/router.ts'
import type { Stream } from '../unit/stream.ts'
import { UnitContext, useApi } from '../unit/unit.ts'
import { Banners } from './banners.tsx'
import { Keys } from './keys.tsx'
import { Navigation } from './navigation.tsx'
import { Palette } from './palette.tsx'
import { TopBar } from './top-bar.tsx'

const NotFound = () => (
  <>
    <PageHead title="Page not found" />
    <p>
      <Link to={{ page: 'overview' }}>Go to the overview</Link>
    </p>
  </>
)

interface ShellProps {
  readonly api: ConsoleClient
  readonly stream: Stream
  readonly leave: () => void
}

const statusEvery = 5_000

const WithStatus = ({
  api,
  stream,
  children,
}: Omit<ShellProps, 'leave'> & { readonly children: (status: Live<Status>) => ComponentChildren }) => {
  const ask = useApi()
  const live = useLive((signal) => ask.status({ signal }), { wants: () => true, every: statusEvery })
  const value = useMemo(() => ({ api, stream, status: live.data }), [api, stream, live.data])
  return <UnitContext.Provider value={value}>{children(live)}</UnitContext.Provider>
}

const titleOf = (title: string, status: Status | undefined): string => {
  const held = status?.held ?? 0
  return `${held > 0 ? `(${held}) ` : ''}${title} – Gatehouse`
}

/** ⌘K, or Ctrl K. It works while the reader types into a field, and not over an open dialog. */
const listenForSearch = (open: () => void): (() => void) => {
  const listen = (event: KeyboardEvent): void => {
    if (event.key !== 'k' || !(event.metaKey || event.ctrlKey) || document.querySelector('dialog[open]') !== null) return
    event.preventDefault()
    open()
  }
  document.addEventListener('keydown', listen)
  return () => document.removeEventListener('keydown', listen)
}

const Pages = ({ live, leave }: { readonly live: Live<Status>; readonly leave: () => void }) => {
  const { page } = usePlace()
  const row = findPage(page)
  const title = titleOf(row?.title ?? 'Not found', live.data)
  const [searching, setSearching] = useState(false)
  useEffect(() => listenForSearch(() => setSearching(true)), [])
  useEffect(() => {
    document.title = title
  }, [title])
  return (
    <div class="shell">
      <a class="skip" href="#main">
        Skip to the page
      </a>
      <Navigation page={row?.page} status={live.data} />
      <div class="beside">
        <TopBar status={live.data} leave={leave} search={() => setSearching(true)} />
        <Banners live={live} />
        <main id="main">{row === undefined ? <NotFound /> : <row.Page key={row.page} />}</main>
      </div>
      <Notices />
      <Keys />
      {searching && <Palette close={() => setSearching(false)} />}
    </div>
  )
}

export const Shell = ({ api, stream, leave }: ShellProps) => {
  const bare = useMemo(() => ({ api, stream, status: undefined }), [api, stream])
  return (
    <UnitContext.Provider value={bare}>
      <WithStatus api={api} stream={stream}>
        {(live) => <Pages live={live} leave={leave} />}
      </WithStatus>
    </UnitContext.Provider>
  )
}
