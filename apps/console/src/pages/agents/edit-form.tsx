// One form for all parts of an agent group. Before anything is submitted it shows the changes that it would submit, with their risk.
import { type AgentGroup, type Preview, type ServiceError, toServiceError } from '@gatehouse/contracts'
import type { ComponentChildren } from 'preact'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { changeTitle } from '../../components/diff/change-title.ts'
import { MissingRole, Untrusted } from '../../components/elements.tsx'
import { TextArea, TextField } from '../../components/fields.tsx'
import { notify } from '../../components/notices.tsx'
import { ProblemNote } from '../../components/problem-note.tsx'
import { RiskMark } from '../../components/risk.tsx'
import { counted } from '../../components/units.ts'
import { useAction } from '../../components/use-action.ts'
import { go } from '../../router/router.ts'
import { useApi, useMissingRole, useSignature } from '../../unit/unit.ts'
import { MountFields, PackageFields, PermissionFields, ToolFields } from './edit-fields.tsx'
import { type Draft, draftOf, type Part, touchedParts } from './edit-parts.ts'

interface Previewed {
  readonly part: Part
  readonly preview?: Preview
  readonly problem?: ServiceError
}

const pause = 500

/** What each change would be, asked of the unit half a second after the last key. */
const usePreviews = (agentGroupID: string, parts: readonly Part[]): readonly Previewed[] => {
  const api = useApi()
  const [previews, setPreviews] = useState<readonly Previewed[]>([])
  const key = JSON.stringify(parts)
  useEffect(() => {
    const life = new AbortController()
    const ask = async (part: Part): Promise<Previewed> => {
      try {
        return { part, preview: await api.changes.preview({ kind: part.kind, agentGroupID, after: part.after }, { signal: life.signal }) }
      } catch (error) {
        return { part, problem: toServiceError(error) }
      }
    }
    const timer = setTimeout(() => {
      void Promise.all(parts.map(ask)).then((found) => (life.signal.aborted ? undefined : setPreviews(found)))
    }, pause)
    return () => {
      clearTimeout(timer)
      life.abort()
    }
  }, [key])
  return parts.map((part) => previews.find((each) => JSON.stringify(each.part) === JSON.stringify(part)) ?? { part })
}

const titleOf = ({ part, preview }: Previewed, agentGroupID: AgentGroup['id']): string =>
  preview === undefined ? part.kind : changeTitle({ kind: part.kind, agentGroupID, after: { ...part.after }, ...preview })

const PreviewLine = ({ item, group }: { readonly item: Previewed; readonly group: AgentGroup }) => {
  const { preview, problem } = item
  return (
    <li>
      <div class="change-head">
        {preview !== undefined && <RiskMark risk={preview.risk} />}
        <span>
          <Untrusted text={titleOf(item, group.id)} />
          {preview === undefined && problem === undefined && <span class="soft"> …</span>}
        </span>
      </div>
      {preview?.failure !== undefined && (
        <p class="note bad">
          A rule refuses this: <Untrusted text={preview.failure.reason} />
        </p>
      )}
      {problem !== undefined && <ProblemNote problem={problem} />}
    </li>
  )
}

const Section = ({
  title,
  isTouched,
  children,
}: {
  readonly title: string
  readonly isTouched: boolean
  readonly children: ComponentChildren
}) => (
  <details class="edit-part">
    <summary>
      {title} {isTouched && <span class="tag info">edited</span>}
    </summary>
    <div class="stack">{children}</div>
  </details>
)

/** Submits the parts one after the other. What was submitted stays so where a later one is refused. */
const useSubmitAll = (group: AgentGroup) => {
  const api = useApi()
  const act = useAction()
  const { label } = useSignature()
  const submit = (parts: readonly Part[], reason: string): Promise<boolean> =>
    act.run(async () => {
      const ids: string[] = []
      for (const { kind, after } of parts) {
        const body = { kind, agentGroupID: group.id, after, requestedBy: label, ...(reason.trim() !== '' && { reason: reason.trim() }) }
        const { id } = await api.changes.submit(body)
        ids.push(id)
      }
      notify(ids.length === 1 ? 'Requested. The change is pending.' : `Requested. ${ids.length} changes are pending.`)
      go(ids.length === 1 ? { page: 'changes', rest: ids } : { page: 'approvals', query: { group: group.id } })
    })
  return { ...act, submit }
}

const EditSections = ({
  draft,
  set,
  parts,
}: {
  readonly draft: Draft
  readonly set: (part: Partial<Draft>) => void
  readonly parts: readonly Part[]
}) => {
  const isTouched = (kind: Part['kind']): boolean => parts.some((part) => part.kind === kind)
  return (
    <>
      <Section title="Instructions" isTouched={isTouched('persona')}>
        <TextArea label="Instructions" prose rows={10} value={draft.instructions} set={(instructions) => set({ instructions })} />
      </Section>
      <Section title="Built-in tools" isTouched={isTouched('tools')}>
        <ToolFields draft={draft} set={set} />
      </Section>
      <Section title="Model and limits" isTouched={isTouched('permissions')}>
        <PermissionFields draft={draft} set={set} />
      </Section>
      <Section title="Packages" isTouched={isTouched('packages')}>
        <PackageFields draft={draft} set={set} />
      </Section>
      <Section title="Mounts" isTouched={isTouched('mounts')}>
        <MountFields draft={draft} set={set} />
      </Section>
    </>
  )
}

export const EditForm = ({ group }: { readonly group: AgentGroup }) => {
  const before = useMemo(() => draftOf(group), [group])
  const [edits, setEdits] = useState<Partial<Draft>>({})
  const [reason, setReason] = useState('')
  const all = useSubmitAll(group)
  const lacks = useMissingRole('requester')
  const draft = { ...before, ...edits }
  const parts = touchedParts(before, draft)
  const previews = usePreviews(group.id, parts)
  return (
    <form
      class="edit card"
      aria-label={`Edit ${group.id}`}
      onSubmit={(event) => {
        event.preventDefault()
        void all.submit(parts, reason)
      }}
    >
      <EditSections draft={draft} set={(part) => setEdits((present) => ({ ...present, ...part }))} parts={parts} />
      <div class="edit-foot stack">
        {parts.length === 0 ? (
          <p class="hint">Nothing is edited. Each edited part becomes a change of its own; nothing takes effect until it is approved.</p>
        ) : (
          <>
            <ul class="plain" aria-label="Changes to request">
              {previews.map((item) => (
                <PreviewLine key={item.part.kind} item={item} group={group} />
              ))}
            </ul>
            <TextField label="Reason for the approver (optional)" maxLength={4096} value={reason} set={setReason} />
          </>
        )}
        {all.problem !== undefined && <ProblemNote problem={all.problem} />}
        <MissingRole why={lacks} />
        <div class="actions">
          {parts.length > 0 && (
            <button type="button" class="quiet" onClick={() => setEdits({})}>
              Discard
            </button>
          )}
          <button type="submit" disabled={all.busy || lacks !== undefined || parts.length === 0}>
            {parts.length === 0 ? 'Request changes' : `Request ${counted(parts.length, 'change')}`}
          </button>
        </div>
      </div>
    </form>
  )
}
