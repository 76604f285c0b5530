// The lines in a table of which only those in sight are on the page.
import type { AuditEntry } from '@gatehouse/contracts'
import { useNarrow } from '../../parts/use-narrow.ts'
import { Untrusted } from '../../parts/untrusted.tsx'
import { VirtualRows } from '../../parts/virtual-rows.tsx'
import { When } from '../../parts/when.tsx'

interface AuditRowsProps {
  readonly items: readonly AuditEntry[]
  readonly more: (() => void) | undefined
  readonly open: (entry: AuditEntry) => void
}

const columns = ['No.', 'When', 'Stage', 'Kind', 'Group', 'Principal'] as const

const actor = ({ principal, by }: AuditEntry): string => (by === undefined || by === principal ? principal : `${principal} as ${by}`)

const stageColours: Readonly<Record<string, string>> = {
  approve: 'good',
  apply: 'good',
  reject: 'bad',
  refuse: 'bad',
  'apply-failed': 'bad',
  'auth-failed': 'bad',
  freeze: 'warn',
  'self-approved': 'warn',
  'observed-drift': 'warn',
}

export const AuditRows = ({ items, more, open }: AuditRowsProps) => {
  const narrow = useNarrow()
  return (
    <div class="audit-rows">
      <VirtualRows
        items={items}
        keyOf={({ seq }) => seq}
        rowHeight={narrow ? 74 : 38}
        label="Journal"
        columns={columns.length}
        more={more}
        head={columns.map((column) => (
          <span key={column} role="columnheader">
            {column}
          </span>
        ))}
        draw={(entry) => (
          <>
            <span role="cell">
              <button type="button" class="link" aria-label={`Line ${entry.seq}: ${entry.stage}`} onClick={() => open(entry)}>
                {entry.seq}
              </button>
            </span>
            <span role="cell">
              <When at={entry.time} />
            </span>
            <span role="cell">
              <span class={`tag ${stageColours[entry.stage] ?? ''}`}>{entry.stage}</span>
            </span>
            <span role="cell">
              <Untrusted text={entry.kind ?? '–'} />
            </span>
            <span role="cell">
              <Untrusted text={entry.agentGroupID ?? '–'} />
            </span>
            <span role="cell">
              <Untrusted text={actor(entry)} />
            </span>
          </>
        )}
      />
    </div>
  )
}
