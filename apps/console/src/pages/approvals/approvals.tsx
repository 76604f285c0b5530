// Pending changes and decided ones. On a wide screen the list is at the left and the open change beside it.
import { type Change, ChangeState, kindNames } from '@gatehouse/contracts'
import { useEffect, useState } from 'preact/hooks'
import * as v from 'valibot'
import { distinctValues, type Facet, Facets } from '../../components/facets.tsx'
import { ListFrame } from '../../components/list.tsx'
import { PageHead } from '../../components/page-head.tsx'
import { useShortcut } from '../../keyboard/shortcuts.ts'
import { useList } from '../../live/use-list.ts'
import { Link } from '../../router/link.tsx'
import { go, type Target, usePlace } from '../../router/router.ts'
import { useApi, useMissingRole, useUnit } from '../../unit/unit.ts'
import { ChangeLoader } from '../change/change-page.tsx'
import './approvals.css'
import { ChangeRow } from './change-row.tsx'
import { DecideMany } from './decide-many.tsx'
import { filterChanges, serverOf, type Sort, sortChanges, sorts } from './order.ts'

type Query = Readonly<Record<string, string>>

interface Tab {
  /** In the address; absent for pending. */
  readonly show: string | undefined
  readonly title: string
  readonly state?: ChangeState
}

const tabs: readonly Tab[] = [
  { show: undefined, title: 'Pending' },
  { show: 'mine', title: 'Mine' },
  { show: 'applied', title: 'Applied', state: 'applied' },
  { show: 'rejected', title: 'Rejected', state: 'rejected' },
  { show: 'expired', title: 'Expired', state: 'expired' },
  { show: 'decided', title: 'Decided' },
]

const pageSize = 100
const filterNames = ['group', 'kind', 'risk', 'by', 'server', 'find']

const oneOf = <S extends v.GenericSchema>(schema: S, value: string | undefined): v.InferOutput<S> | undefined => {
  const result = v.safeParse(schema, value)
  return result.success ? result.output : undefined
}

const useChanges = (tab: Tab, query: Query) => {
  const api = useApi()
  const me = useUnit().status?.principal.name
  const isPending = tab.show === undefined || tab.show === 'mine'
  const filter = {
    limit: pageSize,
    agentGroupID: query['group'] || undefined,
    kind: oneOf(v.picklist(kindNames), query['kind']),
    requestedBy: query['by'] || undefined,
    principal: tab.show === 'mine' ? me : undefined,
  }
  const state = tab.state ?? oneOf(ChangeState, query['state'])
  return useList<Change>(
    {
      ask: (cursor, signal) =>
        isPending ? api.changes.pending({ ...filter, cursor }, { signal }) : api.changes.history({ ...filter, cursor, state }, { signal }),
      keyOf: ({ id }) => id,
    },
    {
      of: [tab.show, filter.agentGroupID, filter.kind, filter.requestedBy, filter.principal, state],
      wants: ({ changeID }) => changeID !== undefined,
    },
  )
}

const Empty = ({ tab, isFiltered }: { readonly tab: Tab; readonly isFiltered: boolean }) => {
  if (isFiltered)
    return (
      <>
        <p>No change matches these filters.</p>
        <Link to={{ page: 'approvals', query: { show: tab.show } }}>Clear all filters</Link>
      </>
    )
  if (tab.show !== undefined) return <p>No change here yet.</p>
  return (
    <>
      <p>
        <strong>Nothing pending.</strong>
      </p>
      <p>A change appears here when an operator or an agent requests one. Nothing changes until someone approves it.</p>
    </>
  )
}

const Tabs = ({ tab }: { readonly tab: Tab }) => {
  const held = useUnit().status?.held ?? 0
  return (
    <p class="tabs">
      {tabs.map(({ show, title }) => (
        <Link key={title} to={{ page: 'approvals', query: { show } }} current={show === tab.show}>
          {title}
          {show === undefined && held > 0 && <span class="count"> {held}</span>}
        </Link>
      ))}
    </p>
  )
}

const facetsOf = (items: readonly Change[]): readonly Facet[] => [
  { name: 'group', label: 'Group', values: distinctValues(items, ({ agentGroupID }) => agentGroupID), isOpen: true },
  { name: 'risk', label: 'Risk', values: ['high', 'medium', 'low'] },
  { name: 'kind', label: 'Kind', values: kindNames },
  { name: 'by', label: 'Requested by', values: distinctValues(items, ({ requestedBy }) => requestedBy), isOpen: true },
  { name: 'server', label: 'Server', values: distinctValues(items, serverOf), isOpen: true },
]

const sortTitles: Readonly<Record<Sort, string>> = {
  risk: 'Risk, then oldest',
  oldest: 'Oldest first',
  newest: 'Newest first',
  expires: 'Expires first',
}

const SortField = ({ sort, query }: { readonly sort: Sort; readonly query: Query }) => (
  <label class="sort">
    <span class="unseen">Sort</span>
    <select value={sort} onChange={(event) => go({ page: 'approvals', query: { ...query, sort: event.currentTarget.value } })}>
      {sorts.map((each) => (
        <option key={each} value={each}>
          {sortTitles[each]}
        </option>
      ))}
    </select>
  </label>
)

const wide = matchMedia('(min-width: 1280px)')

const useWide = (): boolean => {
  const [is, setIs] = useState(wide.matches)
  useEffect(() => {
    const look = (): void => setIs(wide.matches)
    wide.addEventListener('change', look)
    return () => wide.removeEventListener('change', look)
  }, [])
  return is
}

/** Changes that are selected and still shown. */
const useSelection = (shown: readonly Change[]) => {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set())
  const turn = (id: string): void => {
    const next = new Set(ids)
    if (!next.delete(id)) next.add(id)
    setIds(next)
  }
  useShortcut('x', 'Select the change of the row', () => {
    const id = document.activeElement?.closest<HTMLElement>('[data-change]')?.dataset['change']
    if (id !== undefined) turn(id)
  })
  return { selected: shown.filter(({ id }) => ids.has(id)), has: (id: string) => ids.has(id), turn, clear: () => setIds(new Set()) }
}

interface ListProps {
  readonly tab: Tab
  readonly shown: readonly Change[]
  readonly open: string | undefined
  readonly targetOf: (id: string) => Target
  readonly refresh: () => void
}

const ChangeRows = ({ tab, shown, open, targetOf, refresh }: ListProps) => {
  const { selected, has, turn, clear } = useSelection(shown)
  const mayDecide = useMissingRole('approver') === undefined && (tab.show === undefined || tab.show === 'mine')
  return (
    <>
      {mayDecide && <DecideMany selected={selected} clear={clear} refresh={refresh} />}
      <ul class="change-rows" aria-label={tab.show === undefined ? 'Pending changes' : 'Changes'}>
        {shown.map((change) => (
          <ChangeRow
            key={change.id}
            change={change}
            to={targetOf(change.id)}
            isOpen={change.id === open}
            select={mayDecide ? () => turn(change.id) : undefined}
            isSelected={has(change.id)}
          />
        ))}
      </ul>
    </>
  )
}

export const Approvals = () => {
  const { query } = usePlace()
  const tab = tabs.find(({ show }) => show === (query['show'] || undefined)) ?? { show: undefined, title: 'Pending' }
  const sort = sorts.find((each) => each === query['sort']) ?? (tab.show === undefined || tab.show === 'mine' ? 'risk' : 'newest')
  const list = useChanges(tab, query)
  const isWide = useWide()
  const items = list.data ?? []
  const shown = sortChanges(filterChanges(items, { risk: query['risk'], server: query['server'], find: query['find'] }), sort)
  const open = isWide ? query['open'] || shown[0]?.id : undefined
  const targetOf = (id: string): Target => (isWide ? { page: 'approvals', query: { ...query, open: id } } : { page: 'changes', rest: [id] })
  return (
    <div class={open === undefined ? 'approvals' : 'approvals split'}>
      <div class="approvals-list">
        <PageHead title="Approvals" />
        <Tabs tab={tab} />
        <div class="list-tools">
          <Facets facets={facetsOf(items)} placeholder="Filter by group, risk, kind, requester, server or words" />
          <SortField sort={sort} query={query} />
        </div>
        <ListFrame
          live={list}
          count={shown.length}
          empty={<Empty tab={tab} isFiltered={filterNames.some((name) => (query[name] ?? '') !== '')} />}
        >
          <ChangeRows tab={tab} shown={shown} open={open} targetOf={targetOf} refresh={list.refresh} />
        </ListFrame>
        {list.more !== undefined && (
          <p class="actions">
            <span class="soft">{list.data?.length ?? 0} are loaded, and there are more.</span>
            <button type="button" class="quiet" disabled={list.asking} onClick={list.more}>
              {list.asking ? 'Loading …' : 'Load more'}
            </button>
          </p>
        )}
      </div>
      {open !== undefined && (
        <div class="approvals-change">
          <ChangeLoader key={open} id={open} isBeside />
        </div>
      )}
    </div>
  )
}
