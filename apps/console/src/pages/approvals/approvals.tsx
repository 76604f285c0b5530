// What waits for a person, oldest first, and what was decided; each change is one row that leads to its page.
import { type Change, ChangeState, kindNames, Risk } from '@gatehouse/contracts'
import * as v from 'valibot'
import { useList } from '../../live/use-list.ts'
import { ListFrame } from '../../parts/list-frame.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { Link } from '../../router/link.tsx'
import { usePlace } from '../../router/use-place.ts'
import { useApi } from '../../unit/unit.ts'
import { ChangeRow } from './change-row.tsx'
import { Filters, isFiltered } from './filters.tsx'

const pageSize = 100

const oneOf = <S extends v.GenericSchema>(schema: S, value: string | undefined): v.InferOutput<S> | undefined => {
  const result = v.safeParse(schema, value)
  return result.success ? result.output : undefined
}

const useChanges = (which: 'waiting' | 'decided', query: Readonly<Record<string, string>>) => {
  const api = useApi()
  const filter = {
    limit: pageSize,
    agentGroupID: query['group'] || undefined,
    kind: oneOf(v.picklist(kindNames), query['kind']),
    requestedBy: query['by'] || undefined,
  }
  const state = oneOf(ChangeState, query['state'])
  return useList<Change>(
    {
      ask: (cursor, signal) =>
        which === 'waiting'
          ? api.changes.pending({ ...filter, cursor }, { signal })
          : api.changes.history({ ...filter, cursor, state }, { signal }),
      keyOf: ({ id }) => id,
    },
    { of: [which, filter.agentGroupID, filter.kind, filter.requestedBy, state], wants: ({ changeID }) => changeID !== undefined },
  )
}

const Empty = ({ which, filtered }: { readonly which: 'waiting' | 'decided'; readonly filtered: boolean }) => {
  if (filtered)
    return (
      <>
        <p>No change fits these filters.</p>
        <Link to={{ page: 'approvals', query: which === 'decided' ? { show: 'decided' } : {} }}>Show all</Link>
      </>
    )
  return which === 'waiting' ? (
    <>
      <p>
        <strong>Nothing waits.</strong>
      </p>
      <p>A change appears here when an operator or an agent asks for one. Until you approve it, nothing is different.</p>
    </>
  ) : (
    <p>No change was decided yet.</p>
  )
}

const Tabs = ({ which }: { readonly which: 'waiting' | 'decided' }) => (
  <p class="tabs">
    <Link to={{ page: 'approvals' }} current={which === 'waiting'}>
      Waiting
    </Link>
    <Link to={{ page: 'approvals', query: { show: 'decided' } }} current={which === 'decided'}>
      Decided
    </Link>
  </p>
)

export const Approvals = () => {
  const { query } = usePlace()
  const which = query['show'] === 'decided' ? 'decided' : 'waiting'
  const list = useChanges(which, query)
  const risk = oneOf(Risk, query['risk'])
  const shown = (list.data ?? []).filter((change) => risk === undefined || change.risk === risk)
  return (
    <>
      <PageHead title="Approvals" about="Nothing about an agent changes until a person has let it through." />
      <Tabs which={which} />
      <Filters which={which} />
      <ListFrame live={list} count={shown.length} empty={<Empty which={which} filtered={isFiltered(query)} />}>
        <ul class="rows" aria-label={which === 'waiting' ? 'Changes that wait' : 'Changes that were decided'}>
          {shown.map((change) => (
            <ChangeRow key={change.id} change={change} />
          ))}
        </ul>
      </ListFrame>
      {list.more !== undefined && (
        <p class="actions">
          <span class="soft">{list.data?.length ?? 0} are loaded, and there are more.</span>
          <button type="button" class="quiet" disabled={list.asking} onClick={list.more}>
            {list.asking ? 'Loading …' : 'Load more'}
          </button>
        </p>
      )}
    </>
  )
}
