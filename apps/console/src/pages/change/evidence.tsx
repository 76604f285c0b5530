// The evidence of a change, and how old it is. A requester cannot supply it.
import { type ChangeView, Evidence } from '@gatehouse/contracts'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { readAs } from '../../components/read-as.ts'
import { TextDiff } from '../../components/diff/text-diff.tsx'
import { Collapsible, Json, Untrusted } from '../../components/elements.tsx'
import { ProblemNote } from '../../components/problem-note.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { type Action, useAction } from '../../components/use-action.ts'
import { useApi } from '../../unit/unit.ts'

export interface EvidenceShown {
  /** Null also for evidence that this console does not know the form of. */
  readonly evidence: Evidence | null
  readonly load: (() => void) | undefined
  readonly act: Action
}

/** Evidence that is too large for its change is loaded on demand. */
export const useEvidence = (change: ChangeView): EvidenceShown => {
  const api = useApi()
  const act = useAction()
  const [whole, setWhole] = useState<Evidence>()
  const { id, digest } = change
  useEffect(() => setWhole(undefined), [id, digest])
  const shown = useMemo(() => readAs(Evidence, change.evidence) ?? null, [digest])
  const load = (): void =>
    void act.run(async () => {
      const { evidence } = await api.changes.evidence(id)
      setWhole(readAs(Evidence, evidence))
    })
  return { evidence: whole ?? shown, load: shown?.status === 'too-large' && whole === undefined ? load : undefined, act }
}

const sources = {
  observed: 'Listed by the tool server itself',
  'too-large': 'Listed by the tool server itself',
  sighted: 'Read from the host by the runner',
  resolved: 'Resolved in the registry by the runner',
  unresolved: 'Requested from the registry by the runner',
} as const

const subjects = { mcp_access: 'the tool server', mounts: 'the paths', packages: 'the packages' } as const

const NoEvidence = ({ change }: { readonly change: ChangeView }) => {
  const what = Object.entries(subjects).find(([kind]) => kind === change.kind)?.[1] ?? 'it'
  return (
    <p class="note warn">
      <strong>There is no evidence.</strong> The unit could not inspect {what} in time. Approve only if you know what is there.
    </p>
  )
}

const Drifted = ({ evidence }: { readonly evidence: Extract<Evidence, { status: 'observed' }> }) => (
  <>
    {evidence.drift.length > 0 && <h3>Tool definitions changed since approval</h3>}
    {evidence.drift.map(({ tool, was, now }) => (
      <Collapsible key={tool} open={evidence.drift.length <= 3} summary={<Untrusted text={tool} />}>
        {() => (
          <TextDiff
            before={was === undefined ? '' : JSON.stringify(was, null, 2)}
            after={now === undefined ? '' : JSON.stringify(now, null, 2)}
          />
        )}
      </Collapsible>
    ))}
  </>
)

const Audience = ({ evidence: { places } }: { readonly evidence: Extract<Evidence, { status: 'heard' }> }) => (
  <p>
    <Untrusted
      text={places
        .map(({ channel, address, people }) => `Open at ${channel} ${address} to: ${[people].flat().join(', ') || 'nobody'}`)
        .join('; ')}
    />
  </p>
)

const Body = ({ evidence }: { readonly evidence: Evidence }) => {
  switch (evidence.status) {
    case 'described':
      return evidence.sends.length === 0 ? (
        <p>It receives no values: no variables and no headers.</p>
      ) : (
        <ul>
          {evidence.sends.map((sentence) => (
            <li key={sentence}>
              It <Untrusted text={sentence} />.
            </li>
          ))}
        </ul>
      )
    case 'heard':
      return <Audience evidence={evidence} />
    case 'observed':
      return <Drifted evidence={evidence} />
    case 'unresolved':
      return (
        <p class="note bad">
          <Untrusted text={evidence.refused.reason} /> <code>{evidence.refused.rule}</code>
        </p>
      )
    default:
      return null
  }
}

export const EvidencePart = ({ change, evidence, load, act }: EvidenceShown & { readonly change: ChangeView }) => {
  if (change.evidence === null) return null
  return (
    <section aria-labelledby="evidence">
      <h2 id="evidence">Evidence</h2>
      {evidence?.status === 'unavailable' && <NoEvidence change={change} />}
      {evidence?.status === 'described' && <p class="soft">Derived by the gateway from the change itself.</p>}
      {evidence !== null && 'at' in evidence && (
        <p class="soft">
          {sources[evidence.status]} <RelativeTime at={evidence.at} />
          {evidence.age > 0 && `, ${evidence.age} s before the request`}. If it is different when you approve, the approval is refused.
        </p>
      )}
      {load !== undefined && (
        <p>
          The definitions are too large to be sent with the change.{' '}
          <button type="button" class="quiet small" disabled={act.busy} onClick={load}>
            {act.busy ? 'Loading …' : 'Load definitions'}
          </button>
        </p>
      )}
      {act.problem !== undefined && <ProblemNote problem={act.problem} />}
      {evidence !== null && <Body evidence={evidence} />}
      <Collapsible summary="Evidence as recorded (JSON)">{() => <Json value={change.evidence} />}</Collapsible>
    </section>
  )
}
