// Tool calls and model requests: filters, outcome, latency, and the way to session, grant and change.
import { type CallRecord, callStatuses, type ModelCallRecord, toolErrorCodes } from '@gatehouse/contracts'
import type { ComponentChildren } from 'preact'
import { Untrusted } from '../../components/elements.tsx'
import { distinctValues, type Facet, Facets } from '../../components/facets.tsx'
import { ListFrame } from '../../components/list.tsx'
import { PageHead } from '../../components/page-head.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { formatBytes, formatDuration, formatNumber } from '../../components/units.ts'
import { useNarrow, VirtualRows } from '../../components/virtual-rows.tsx'
import { useList } from '../../live/use-list.ts'
import { Link } from '../../router/link.tsx'
import { usePlace } from '../../router/router.ts'
import { useApi, useUnit } from '../../unit/unit.ts'
import './calls.css'
import { Latency } from './latency.tsx'
import { OutcomeTag } from './outcome.tsx'

type Query = Readonly<Record<string, string>>

const pageSize = 200
const filled = (text: string | undefined): string | undefined => (text === '' ? undefined : text)

/** Rows that contain all words, of what is loaded. */
const matching = <T,>(items: readonly T[], words: string | undefined): readonly T[] => {
  const all = (words ?? '')
    .toLowerCase()
    .split(/\s+/u)
    .filter((word) => word !== '')
  return all.length === 0 ? items : items.filter((item) => all.every((word) => JSON.stringify(item).toLowerCase().includes(word)))
}

const SessionLink = ({ id }: { readonly id: string }) => (
  <Link to={{ page: 'sessions', rest: [id] }} title={id}>
    <code>{id.slice(0, 10)}</code>
  </Link>
)

const GroupLink = ({ id }: { readonly id: string | null }) =>
  id === null ? <span class="soft">–</span> : <Link to={{ page: 'agents', rest: [id] }}>{id}</Link>

const Cells = ({ cells }: { readonly cells: readonly ComponentChildren[] }) => (
  <>
    {cells.map((cell, place) => (
      <span key={place} role="cell">
        {cell}
      </span>
    ))}
  </>
)

const Head = ({ names }: { readonly names: readonly string[] }) => (
  <>
    {names.map((name) => (
      <span key={name} role="columnheader">
        {name}
      </span>
    ))}
  </>
)

const ToolCallRows = ({ items, more }: { readonly items: readonly CallRecord[]; readonly more: (() => void) | undefined }) => (
  <div class="tool-calls">
    <VirtualRows
      items={items}
      keyOf={({ id }) => id}
      rowHeight={useNarrow() ? 84 : 40}
      label="Tool calls"
      columns={7}
      more={more}
      head={<Head names={['When', 'Outcome', 'Tool', 'Group', 'Session', 'Latency', 'Size']} />}
      draw={({ time, status, code, server, tool, op, agentGroupID, session, duration, bytes }) => (
        <Cells
          cells={[
            <RelativeTime key="time" at={time} />,
            <OutcomeTag key="outcome" outcome={status} code={code} />,
            <span key="tool">
              <Link to={{ page: 'mcp', rest: [server] }}>{server}</Link>{' '}
              <code>
                <Untrusted text={op === 'list' ? '(list of tools)' : (tool ?? '')} />
              </code>
            </span>,
            <GroupLink key="group" id={agentGroupID} />,
            <SessionLink key="session" id={session} />,
            formatDuration(duration),
            formatBytes(bytes),
          ]}
        />
      )}
    />
  </div>
)

const ModelCallRows = ({ items, more }: { readonly items: readonly ModelCallRecord[]; readonly more: (() => void) | undefined }) => (
  <div class="tool-calls">
    <VirtualRows
      items={items}
      keyOf={({ id }) => id}
      rowHeight={useNarrow() ? 84 : 40}
      label="Model requests"
      columns={7}
      more={more}
      head={<Head names={['When', 'Outcome', 'Model', 'Group', 'Session', 'Latency', 'Tokens']} />}
      draw={({ time, outcome, code, provider, model, agentGroupID, session, duration, tokensIn, tokensOut, estimated }) => (
        <Cells
          cells={[
            <RelativeTime key="time" at={time} />,
            <OutcomeTag key="outcome" outcome={outcome} code={code} />,
            <Untrusted key="model" text={`${provider} ${model}`} />,
            <GroupLink key="group" id={agentGroupID} />,
            <SessionLink key="session" id={session} />,
            formatDuration(duration),
            `${estimated === true ? '~' : ''}${formatNumber(tokensIn)} in, ${formatNumber(tokensOut)} out`,
          ]}
        />
      )}
    />
  </div>
)

const useToolCalls = (query: Query) => {
  const api = useApi()
  const enabled = useUnit().status?.mcp.enabled === true
  const filter = {
    agentGroupID: filled(query['group']),
    session: filled(query['session']),
    server: filled(query['server']),
    tool: filled(query['tool']),
    status: callStatuses.find((status) => status === query['outcome']),
    code: toolErrorCodes.find((code) => code === query['reason']),
  }
  return useList<CallRecord>(
    {
      keyOf: ({ id }) => id,
      ask: async (cursor, signal) =>
        enabled ? api.audit.calls({ ...filter, op: 'call', cursor, limit: pageSize }, { signal }) : { items: [] },
    },
    { of: [enabled, ...Object.values(filter)], every: 5_000 },
  )
}

const ToolCalls = ({ query }: { readonly query: Query }) => {
  const list = useToolCalls(query)
  const items = matching(list.data ?? [], query['find'])
  const loaded = list.data ?? []
  const facets: readonly Facet[] = [
    { name: 'outcome', label: 'Outcome', values: callStatuses },
    { name: 'group', label: 'Group', values: distinctValues(loaded, ({ agentGroupID }) => agentGroupID), isOpen: true },
    { name: 'server', label: 'Server', values: distinctValues(loaded, ({ server }) => server), isOpen: true },
    { name: 'tool', label: 'Tool', values: distinctValues(loaded, ({ tool }) => tool), isOpen: true },
    { name: 'reason', label: 'Reason', values: distinctValues(loaded, ({ code }) => code) },
    { name: 'session', label: 'Session', values: [], isOpen: true },
  ]
  return (
    <>
      <div class="list-tools">
        <Facets facets={facets} placeholder="Filter by outcome, group, server, tool, reason or session" />
      </div>
      <ListFrame live={list} count={items.length} empty={<p>No tool call matches. Calls appear here as agents use tools.</p>}>
        <Latency items={items.map(({ duration, status }) => ({ duration, outcome: status }))} />
        <ToolCallRows items={items} more={list.more} />
      </ListFrame>
    </>
  )
}

const modelOutcomes = ['ok', 'refused', 'error', 'timeout', 'cancelled', 'unknown'] as const

const ModelCalls = ({ query }: { readonly query: Query }) => {
  const api = useApi()
  const filter = {
    agentGroupID: filled(query['group']),
    session: filled(query['session']),
    provider: filled(query['provider']),
    outcome: modelOutcomes.find((outcome) => outcome === query['outcome']),
  }
  const list = useList<ModelCallRecord>(
    { keyOf: ({ id }) => id, ask: (cursor, signal) => api.models.calls({ ...filter, cursor, limit: pageSize }, { signal }) },
    { of: Object.values(filter), every: 5_000 },
  )
  const loaded = list.data ?? []
  const items = matching(loaded, query['find'])
  const facets: readonly Facet[] = [
    { name: 'outcome', label: 'Outcome', values: modelOutcomes },
    { name: 'group', label: 'Group', values: distinctValues(loaded, ({ agentGroupID }) => agentGroupID), isOpen: true },
    { name: 'provider', label: 'Provider', values: distinctValues(loaded, ({ provider }) => provider) },
    { name: 'session', label: 'Session', values: [], isOpen: true },
  ]
  return (
    <>
      <div class="list-tools">
        <Facets facets={facets} placeholder="Filter by outcome, group, provider or session" />
      </div>
      <ListFrame live={list} count={items.length} empty={<p>No model request matches. Requests of LLM agents appear here.</p>}>
        <Latency items={items} />
        <ModelCallRows items={items} more={list.more} />
        {items.some(({ estimated }) => estimated === true) && <p class="hint">~ marks estimated token counts.</p>}
      </ListFrame>
    </>
  )
}

export const Calls = () => {
  const { query } = usePlace()
  const isModels = query['show'] === 'models'
  const { show: _show, provider: _provider, server: _server, tool: _tool, reason: _reason, ...kept } = query
  return (
    <>
      <PageHead title="Calls" about="Every tool call and model request, with its outcome. Contents are never recorded." />
      <p class="tabs">
        <Link to={{ page: 'calls', query: kept }} current={!isModels}>
          Tool calls
        </Link>
        <Link to={{ page: 'calls', query: { ...kept, show: 'models' } }} current={isModels}>
          Model requests
        </Link>
      </p>
      {isModels ? <ModelCalls query={query} /> : <ToolCalls query={query} />}
    </>
  )
}
