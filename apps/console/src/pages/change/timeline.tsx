// The history of a change, from the request to its effect in every session.
import type { ChangeView } from '@gatehouse/contracts'
import type { ComponentChildren } from 'preact'
import { Untrusted } from '../../components/elements.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { Link } from '../../router/link.tsx'

interface EventProps {
  readonly at: string
  readonly children: ComponentChildren
}

const Event = ({ at, children }: EventProps) => (
  <li>
    <div>{children}</div>
    <RelativeTime at={at} />
  </li>
)

const Because = ({ reason }: { readonly reason: string | undefined }) =>
  reason === undefined ? null : (
    <div class="words soft">
      <Untrusted text={reason} />
    </div>
  )

const Who = ({ by, principal }: { readonly by: string; readonly principal: string }) => (
  <>
    <Untrusted text={by} /> (<Untrusted text={principal} />)
  </>
)

const Sessions = ({ conditions }: Pick<ChangeView, 'conditions'>) => (
  <>
    {conditions.map(({ session, status, reason, at }) => (
      <Event key={session} at={at}>
        Session <code>{session}</code>: {status === 'ready' ? 'uses it' : status === 'pending' ? 'not updated yet' : 'could not be updated'}
        <Because reason={reason} />
      </Event>
    ))}
  </>
)

export const Timeline = ({ change }: { readonly change: ChangeView }) => {
  const { id, createdAt, requestedBy, principal, decisions, ended, appliedAt, conditions } = change
  return (
    <section aria-labelledby="timeline" class="context">
      <h2 id="timeline">Timeline</h2>
      <ol class="history">
        <Event at={createdAt}>
          Requested by <Who by={requestedBy} principal={principal} />
        </Event>
        {decisions.map(({ outcome, by, principal: who, via, reason, at }) => (
          <Event key={`${who} ${at}`} at={at}>
            {outcome === 'approve' ? 'Approved' : 'Rejected'} by <Who by={by} principal={who} />
            {via !== undefined && (
              <>
                {' '}
                in {via.channel} as <Untrusted text={via.user} />
              </>
            )}
            <Because reason={reason} />
          </Event>
        ))}
        {ended !== undefined && (
          <Event at={ended.at}>
            {change.state === 'expired' ? 'Expired' : 'Withdrawn'} by <Who by={ended.by} principal={ended.principal} />
            <Because reason={ended.reason} />
          </Event>
        )}
        {appliedAt !== undefined && <Event at={appliedAt}>Applied</Event>}
        <Sessions conditions={conditions} />
      </ol>
      <p class="hint">
        <Link to={{ page: 'audit', query: { change: id } }}>Audit log</Link> · digest <code>{change.digest.slice(0, 12)}</code>
      </p>
    </section>
  )
}
