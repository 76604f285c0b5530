// One line of the journal, whole.
import type { AuditEntry } from '@gatehouse/contracts'
import { Dialog } from '../../parts/dialog.tsx'
import { Untrusted } from '../../parts/untrusted.tsx'
import { Link } from '../../router/link.tsx'

interface AuditLineProps {
  readonly entry: AuditEntry
  readonly close: () => void
}

export const AuditLine = ({ entry, close }: AuditLineProps) => (
  <Dialog title={`Line ${entry.seq}: ${entry.stage}`} close={close}>
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
      <dt>Came by</dt>
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
      <dt>Hash</dt>
      <dd>
        <code>{entry.hash}</code>
      </dd>
      <dt>Hash before</dt>
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
