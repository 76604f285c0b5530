// Pending changes, oldest first, and decided ones. Each row links to the page of its change.
import { type Change, ChangeState, kindNames, Risk, visible } from '@gatehouse/contracts'
import * as v from 'valibot'
import { wallMs } from '../../clock.ts'
import { stateLabel, stateTone } from '../../components/change-state.ts'
import { Untrusted } from '../../components/elements.tsx'
import { SelectFilter, TextFilter } from '../../components/filters.tsx'
import { ListFrame } from '../../components/list.tsx'
import { PageHead } from '../../components/page-head.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { useList } from '../../live/use-list.ts'
import { Link } from '../../router/link.tsx'
import { usePlace } from '../../router/router.ts'
import { useApi } from '../../unit/unit.ts'

const day = 86_400_000

const Waiting = ({ change: { createdAt, expiresAt, approvals } }: { readonly change: Change }) => (
  <>
    {wallMs() - Date.parse(createdAt) > day && <span class="tag warn">waits for more than a day</span>}
    {expiresAt !== undefined && Date.parse(expiresAt) - wallMs() < day && (
      <span class="tag warn">
        ends unanswered <RelativeTime at={expiresAt} />
      </span>
    )}
    {approvals.needed > 1 && (
      <span class="tag info">
        {approvals.given} of {approvals.needed} approvals
      </span>
    )}
  </>
)

const ChangeRow = ({ change }: { readonly change: Change }) => {
  const { id, summary, risk, kind, agentGroupID, requestedBy, createdAt, state, decisions } = change
  const last = decisions.at(-1)
  return (
    <li data-row class={`row ${risk}`}>
      <div class="row-head">
        <Link to={{ page: 'changes', rest: [id] }} class="row-title">
          {visible(summary)}
        </Link>
        <span class={`risk ${risk}`}>{risk} risk</span>
      </div>
      <p class="row-facts">
        <code>{kind}</code> for <code>{agentGroupID}</code>, requested by <Untrusted text={requestedBy} />, <RelativeTime at={createdAt} />
        {state === 'held' ? (
          <Waiting change={change} />
        ) : (
          <>
            {' '}
            <span class={`tag ${stateTone[state]}`}>{stateLabel[state]}</span>
            {last !== undefined && (
              <>
                {' by '}
                <Untrusted text={last.by} />, <RelativeTime at={last.at} />
              </>
            )}
          </>
        )}
        {change.afterToolOutput === true && <span class="tag warn">after output of a tool</span>}
      </p>
    </li>
  )
}

const names = ['group', 'kind', 'risk', 'by', 'state']
const states = ['applied', 'rejected', 'refused', 'withdrawn', 'expired', 'approved', 'apply_failed']
const risks = ['low', 'medium', 'high']

const isFiltered = (query: Readonly<Record<string, string>>): boolean => names.some((name) => (query[name] ?? '') !== '')

const Filters = ({ which }: { readonly which: 'waiting' | 'decided' }) => (
  <form class="filters" role="search" aria-label="Filters" onSubmit={(event) => event.preventDefault()}>
    <TextFilter name="group" label="Agent group" />
    <SelectFilter name="kind" label="Kind" choices={kindNames} />
    <SelectFilter name="risk" label="Risk" choices={risks} />
    <TextFilter name="by" label="Asked by" />
    {which === 'decided' && <SelectFilter name="state" label="State" choices={states} />}
  </form>
)

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
