// The audit log, newest first: filters, download, verification.
import { type AuditEntry, auditStages, type AuditVerdict, kindNames, visibleJson } from '@gatehouse/contracts'
import { useMemo, useState } from 'preact/hooks'
import { wallMs } from '../../clock.ts'
import { Untrusted } from '../../components/elements.tsx'
import { SelectFilter, TextFilter } from '../../components/filters.tsx'
import { ListFrame } from '../../components/list.tsx'
import { PageHead } from '../../components/page-head.tsx'
import { ProblemNote } from '../../components/problem-note.tsx'
import { saveFile } from '../../components/save-file.ts'
import { useAction } from '../../components/use-action.ts'
import { useList } from '../../live/use-list.ts'
import { useFilter, usePlace } from '../../router/router.ts'
import { useApi } from '../../unit/unit.ts'
import { AuditLine, AuditRows } from './audit-rows.tsx'
import { actorOf, auditSentence, isRoutine } from './audit-sentence.ts'
import './audit.css'

/** Downloads the lines read so far, one JSON document a line, oldest first. */
const saveLines = (items: readonly AuditEntry[]): void => {
  const lines = items.toReversed().map((entry) => `${visibleJson(JSON.stringify(entry))}\n`)
  saveFile(`audit-${items.at(-1)?.seq ?? 0}-${items[0]?.seq ?? 0}.jsonl`, lines.join(''))
}

const Verdict = ({ verdict }: { readonly verdict: AuditVerdict }) =>
  verdict.ok ? (
    <p class="note good" role="status">
      All {verdict.lines} records verified: chain, signatures and head match. The head is{' '}
      <code>
        {verdict.head.seq} {verdict.head.hash}
      </code>
    </p>
  ) : (
    <p class="note bad" role="alert">
      Record {verdict.line} was altered: <Untrusted text={verdict.reason} />
    </p>
  )

/** Has the unit verify its whole audit log, and shows the result. */
const Verify = () => {
  const api = useApi()
  const act = useAction()
  const [verdict, setVerdict] = useState<AuditVerdict>()
  return (
    <section aria-labelledby="verify">
      <h2 id="verify">Journal integrity</h2>
      {act.problem !== undefined && <ProblemNote problem={act.problem} />}
      {verdict !== undefined && <Verdict verdict={verdict} />}
      <button
        type="button"
        class="quiet"
        disabled={act.busy}
        onClick={() => void act.run(async () => setVerdict(await api.audit.verify()))}
      >
        {act.busy ? 'Reading …' : 'Verify now'}
      </button>
      <p class="hint">
        The unit reads its own journal. Without trusting the unit: <code>svcctl audit verify</code> on the host.
      </p>
    </section>
  )
}

const given = (text: string | undefined): string | undefined => (text === '' ? undefined : text)

const hour = 3_600_000

const ranges: Readonly<Record<string, number>> = {
  'last hour': hour,
  'last 24 hours': 24 * hour,
  'last 7 days': 168 * hour,
  'last 30 days': 720 * hour,
}

/** RFC 3339; undefined for all times. */
const sinceOf = (range: string | undefined): string | undefined => {
  const span = ranges[range ?? '']
  return span === undefined ? undefined : new Date(wallMs() - span).toISOString()
}

const Checkpoints = () => {
  const [shown, show] = useFilter('checkpoints')
  return (
    <label class="choice">
      <input type="checkbox" checked={shown === '1'} onChange={(event) => show(event.currentTarget.checked ? '1' : '')} /> Show checkpoints
    </label>
  )
}

/** Records that contain all words, and checkpoints only where they are wanted. */
const shownOf = (items: readonly AuditEntry[], query: Readonly<Record<string, string>>): readonly AuditEntry[] => {
  const words = (query['find'] ?? '')
    .toLowerCase()
    .split(/\s+/u)
    .filter((word) => word !== '')
  const withRoutine = query['checkpoints'] === '1' || query['stage'] === 'checkpoint'
  return items.filter((entry) => {
    if (isRoutine(entry) && !withRoutine) return false
    const text = `${actorOf(entry)} ${auditSentence(entry)} ${JSON.stringify(entry)}`.toLowerCase()
    return words.every((word) => text.includes(word))
  })
}

const Filters = () => (
  <div class="filters">
    <SelectFilter name="stage" label="Stage" choices={auditStages} />
    <SelectFilter name="kind" label="Kind" choices={kindNames} />
    <TextFilter name="group" label="Agent group" />
    <TextFilter name="principal" label="Principal" />
    <TextFilter name="change" label="Change" placeholder="chg_…" />
    <SelectFilter name="range" label="Time" choices={Object.keys(ranges)} />
    <TextFilter name="find" label="Contains" />
    <Checkpoints />
  </div>
)

export const Audit = () => {
  const api = useApi()
  const { query } = usePlace()
  const [line, setLine] = useFilter('line', 'typed')
  const wanted = {
    stage: given(query['stage']),
    kind: kindNames.find((kind) => kind === query['kind']),
    agentGroupID: given(query['group']),
    principal: given(query['principal']),
    changeID: given(query['change']),
  }
  const list = useList(
    {
      keyOf: ({ seq }: AuditEntry) => seq,
      ask: (cursor, signal) => api.audit.list({ ...wanted, since: sinceOf(query['range']), cursor, limit: 200 }, { signal }),
    },
    { of: [query['range'], ...Object.values(wanted)], wants: () => true },
  )
  const items = useMemo(() => shownOf(list.data ?? [], query), [list.data, query])
  const open = items.find(({ seq }) => String(seq) === line)
  const filtered = Object.values(wanted).some((value) => value !== undefined)
  return (
    <>
      <PageHead title="Audit" about="Every decision and every action, in a tamper-evident log.">
        <button type="button" class="quiet" disabled={items.length === 0} onClick={() => saveLines(items)}>
          Download {items.length} records
        </button>
      </PageHead>
      <Filters />
      <ListFrame
        live={list}
        count={items.length}
        empty={<p>{filtered ? 'No record matches these filters.' : 'The audit log is empty.'}</p>}
      >
        <AuditRows items={items} more={list.more} open={({ seq }) => setLine(String(seq))} />
        <p class="hint" role="status">
          {items.length} records{list.more === undefined ? ', end of the log' : ', more as you scroll'}.
        </p>
      </ListFrame>
      <Verify />
      {open !== undefined && <AuditLine entry={open} close={() => setLine('')} />}
    </>
  )
}
