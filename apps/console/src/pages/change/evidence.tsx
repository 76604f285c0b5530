// The evidence of a change, and how old it is. A requester cannot supply it.
import { type ChangeView, Evidence } from '@gatehouse/contracts'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { readAs } from '../../components/diff/change-diff.tsx'
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

const witnesses = {
  observed: 'The broker asked the tool server',
  'too-large': 'The broker asked the tool server',
  sighted: 'The runner looked at these paths',
  resolved: 'The runner resolved these names in the registry',
  unresolved: 'The runner asked the registry',
} as const

const lackOf = { mcp_access: 'the tool server', mounts: 'the paths', packages: 'the packages' } as const

const Lacking = ({ change }: { readonly change: ChangeView }) => {
  const what = Object.entries(lackOf).find(([kind]) => kind === change.kind)?.[1] ?? 'it'
  return (
    <p class="note warn">
      <strong>There is no evidence.</strong> Nobody could look at {what} in time. Approve only if you know what is there.
    </p>
  )
}

const Drifted = ({ evidence }: { readonly evidence: Extract<Evidence, { status: 'observed' }> }) => (
  <>
    {evidence.drift.length > 0 && <h3>Definitions that are others than those approved before</h3>}
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

const Heard = ({ evidence: { places } }: { readonly evidence: Extract<Evidence, { status: 'heard' }> }) => (
  <p>
    <Untrusted
      text={places
        .map(({ channel, address, people }) => `Heard at ${channel} ${address}: ${[people].flat().join(', ') || 'nobody'}`)
        .join('; ')}
    />
  </p>
)

const Body = ({ evidence }: { readonly evidence: Evidence }) => {
  switch (evidence.status) {
    case 'described':
      return evidence.sends.length === 0 ? (
        <p>It is given no values: no variables, no headers.</p>
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
      return <Heard evidence={evidence} />
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
      {evidence?.status === 'unavailable' && <Lacking change={change} />}
      {evidence?.status === 'described' && <p>Taken from the change itself, by the gateway.</p>}
      {evidence !== null && 'at' in evidence && (
        <p>
          {witnesses[evidence.status]} <RelativeTime at={evidence.at} />
          {evidence.age > 0 && `, ${evidence.age} s before this was asked`}. If something else is there by then, the approval is refused.
        </p>
      )}
      {load !== undefined && (
        <p>
          The definitions are too many to come with the change.{' '}
          <button type="button" class="quiet small" disabled={act.busy} onClick={load}>
            {act.busy ? 'Loading …' : 'Load them'}
          </button>
        </p>
      )}
      {act.problem !== undefined && <ProblemNote problem={act.problem} />}
      {evidence !== null && <Body evidence={evidence} />}
      <Collapsible summary="The evidence as it was recorded">{() => <Json value={change.evidence} />}</Collapsible>
    </section>
  )
}
