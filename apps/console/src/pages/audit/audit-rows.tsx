// The table of audit log records, and one record in full.
import { type AuditEntry, visible } from '@gatehouse/contracts'
import { CopyButton } from '../../components/copy.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Untrusted } from '../../components/elements.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { useNarrow, VirtualRows } from '../../components/virtual-rows.tsx'
import { Link } from '../../router/link.tsx'
import { actorOf, auditSentence } from './audit-sentence.ts'

interface AuditRowsProps {
  readonly items: readonly AuditEntry[]
  readonly more: (() => void) | undefined
  readonly open: (entry: AuditEntry) => void
}

const columns = ['No.', 'When', 'Principal', 'What', 'Stage', 'Group'] as const

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
        rowHeight={narrow ? 92 : 40}
        label="Audit log"
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
              <RelativeTime at={entry.time} />
            </span>
            <span role="cell">
              <Untrusted text={actorOf(entry)} />
            </span>
            <span role="cell" title={visible(auditSentence(entry))}>
              <Untrusted text={auditSentence(entry)} />
            </span>
            <span role="cell">
              <span class={`tag ${stageColours[entry.stage] ?? ''}`}>{entry.stage}</span>
            </span>
            <span role="cell">
              <Untrusted text={entry.agentGroupID ?? '–'} />
            </span>
          </>
        )}
      />
    </div>
  )
}

interface AuditLineProps {
  readonly entry: AuditEntry
  readonly close: () => void
}

export const AuditLine = ({ entry, close }: AuditLineProps) => (
  <Dialog title={`Line ${entry.seq}: ${entry.stage}`} close={close}>
    <p>
      <strong>
        <Untrusted text={actorOf(entry)} />
      </strong>{' '}
      <Untrusted text={auditSentence(entry)} />
    </p>
    <dl>
      <dt>Time</dt>
      <dd>{entry.time}</dd>
      <dt>Principal</dt>
      <dd>
        <Untrusted text={entry.principal} />
        {entry.by !== undefined && (
          <>
            {' '}
            as <Untrusted text={entry.by} />
          </>
        )}
      </dd>
      <dt>Process</dt>
      <dd>{entry.edge}</dd>
      {entry.changeID !== undefined && (
        <>
          <dt>Change</dt>
          <dd>
            <Link to={{ page: 'changes', rest: [entry.changeID] }}>
              <Untrusted text={entry.changeID} />
            </Link>
          </dd>
        </>
      )}
      <dt>Link</dt>
      <dd>
        <CopyButton text={location.href} label="Copy the link to this record" /> this record
      </dd>
      <dt>Hash</dt>
      <dd>
        <code>{entry.hash}</code> <CopyButton text={entry.hash} label="Copy the hash" />
      </dd>
      <dt>Previous hash</dt>
      <dd>
        <code>{entry.prev}</code>
      </dd>
    </dl>
    <h3>Detail</h3>
    <pre tabIndex={0}>
      <Untrusted text={JSON.stringify(entry.detail, null, 2)} />
    </pre>
  </Dialog>
)
