// The audit log, newest first: filters, download, verification.
import { type AuditEntry, auditStages, type AuditVerdict, kindNames, visibleJson } from '@gatehouse/contracts'
import { useState } from 'preact/hooks'
import { Untrusted } from '../../components/elements.tsx'
import { SelectFilter, TextFilter } from '../../components/filters.tsx'
import { ListFrame } from '../../components/list.tsx'
import { PageHead } from '../../components/page-head.tsx'
import { ProblemNote } from '../../components/problem-note.tsx'
import { saveFile } from '../../components/save-file.ts'
import { useAction } from '../../components/use-action.ts'
import { useList } from '../../live/use-list.ts'
import { usePlace } from '../../router/router.ts'
import { useApi } from '../../unit/unit.ts'
import { AuditLine, AuditRows } from './audit-rows.tsx'
import './audit.css'

/** Downloads the lines read so far, one JSON document a line, oldest first. */
const saveLines = (items: readonly AuditEntry[]): void => {
  const lines = items.toReversed().map((entry) => `${visibleJson(JSON.stringify(entry))}\n`)
  saveFile(`audit-${items.at(-1)?.seq ?? 0}-${items[0]?.seq ?? 0}.jsonl`, lines.join(''))
}

const Verdict = ({ verdict }: { readonly verdict: AuditVerdict }) =>
  verdict.ok ? (
    <p class="note good" role="status">
      All {verdict.lines} lines are whole: the chain, the signatures and the end are what they were. The last line is{' '}
      <code>
        {verdict.head.seq} {verdict.head.hash}
      </code>
    </p>
  ) : (
    <p class="note bad" role="alert">
      Line {verdict.line} is not what it was: <Untrusted text={verdict.reason} />
    </p>
  )

/** Has the unit verify its whole audit log, and shows the result. */
const Verify = () => {
  const api = useApi()
  const act = useAction()
  const [verdict, setVerdict] = useState<AuditVerdict>()
  return (
    <section aria-labelledby="verify">
      <h2 id="verify">Is the journal whole?</h2>
      {act.problem !== undefined && <ProblemNote problem={act.problem} />}
      {verdict !== undefined && <Verdict verdict={verdict} />}
      <button
        type="button"
        class="quiet"
        disabled={act.busy}
        onClick={() => void act.run(async () => setVerdict(await api.audit.verify()))}
      >
        {act.busy ? 'Reading …' : 'Verify all of it'}
      </button>
      <p class="hint">
        The unit reads its own journal. Without trusting the unit: <code>svcctl audit verify</code> on the host.
      </p>
    </section>
  )
}

const given = (text: string | undefined): string | undefined => (text === '' ? undefined : text)

const Filters = () => (
  <div class="filters">
    <SelectFilter name="stage" label="Stage" choices={auditStages} />
    <SelectFilter name="kind" label="Kind" choices={kindNames} />
    <TextFilter name="group" label="Agent group" />
    <TextFilter name="principal" label="Principal" />
    <TextFilter name="change" label="Change" placeholder="chg_…" />
  </div>
)

export const Audit = () => {
  const api = useApi()
  const { query } = usePlace()
  const [open, setOpen] = useState<AuditEntry>()
  const wanted = {
    stage: given(query['stage']),
    kind: kindNames.find((kind) => kind === query['kind']),
    agentGroupID: given(query['group']),
    principal: given(query['principal']),
    changeID: given(query['change']),
  }
  const list = useList(
    { keyOf: ({ seq }: AuditEntry) => seq, ask: (cursor, signal) => api.audit.list({ ...wanted, cursor, limit: 200 }, { signal }) },
    { of: Object.values(wanted), wants: () => true },
  )
  const items = list.data ?? []
  const filtered = Object.values(wanted).some((value) => value !== undefined)
  return (
    <>
      <PageHead title="Audit" about="Every decision and every act of a person, in a chain that cannot be altered unseen.">
        <button type="button" class="quiet" disabled={items.length === 0} onClick={() => saveLines(items)}>
          Save {items.length} lines
        </button>
      </PageHead>
      <Filters />
      <ListFrame live={list} count={items.length} empty={<p>{filtered ? 'No line fits these filters.' : 'The journal is empty.'}</p>}>
        <AuditRows items={items} more={list.more} open={setOpen} />
        <p class="hint" role="status">
          {items.length} lines read{list.more === undefined ? ', all there are' : ', more come as you scroll'}.
        </p>
      </ListFrame>
      <Verify />
      {open !== undefined && <AuditLine entry={open} close={() => setOpen(undefined)} />}
    </>
  )
}
