// The journal, newest first: by filters that stand in the address, as many lines as one likes.
import { type AuditEntry, auditStages, kindNames } from '@gatehouse/contracts'
import { useState } from 'preact/hooks'
import { useList } from '../../live/use-list.ts'
import { ListFrame } from '../../parts/list-frame.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { SelectFilter } from '../../parts/select-filter.tsx'
import { TextFilter } from '../../parts/text-filter.tsx'
import { usePlace } from '../../router/use-place.ts'
import { useApi } from '../../unit/unit.ts'
import { AuditLine } from './audit-line.tsx'
import { AuditRows } from './audit-rows.tsx'
import { saveLines } from './save-lines.ts'
import { Verify } from './verify.tsx'
import './audit.css'

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
