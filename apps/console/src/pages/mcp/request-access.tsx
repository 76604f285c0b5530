// Asks that an agent may use tools of this server: a change, which a person then decides.
import type { ToolDefinition } from '@gatehouse/contracts'
import { useState } from 'preact/hooks'
import { useLive } from '../../live/use-live.ts'
import { notify } from '../../parts/notices.tsx'
import { ProblemNote } from '../../parts/problem-note.tsx'
import { useAct } from '../../parts/use-act.ts'
import { go } from '../../router/router.ts'
import { useApi, useLacks } from '../../unit/unit.ts'
import { useSignature } from '../change/signature.ts'

interface RequestProps {
  readonly server: string
  /** Undefined before a probe. */
  readonly declared: readonly ToolDefinition[] | undefined
  readonly chosen: ReadonlySet<string>
  readonly choose: (chosen: ReadonlySet<string>) => void
}

interface Terms {
  readonly group: string
  readonly every: boolean
  readonly days: string
  readonly calls: string
  readonly reason: string
}

const day = 86_400_000

const afterOf = ({ every, days, calls }: Terms, server: string, names: readonly string[]) => ({
  server,
  tools: every ? [] : names,
  ...(days !== '' && { expiresAt: new Date(Date.now() + Number(days) * day).toISOString() }),
  ...(calls !== '' && { maxCalls: Number(calls) }),
})

const Names = ({ chosen, choose }: Pick<RequestProps, 'chosen' | 'choose'>) => (
  <label class="field">
    Tools, one a line
    <textarea
      rows={3}
      spellcheck={false}
      onInput={(event) =>
        choose(
          new Set(
            event.currentTarget.value
              .split('\n')
              .map((line) => line.trim())
              .filter((line) => line !== ''),
          ),
        )
      }
    >
      {[...chosen].join('\n')}
    </textarea>
    <span class="hint">Probe the server to choose from what it declares.</span>
  </label>
)

const Which = ({
  terms,
  set,
  declared,
  chosen,
  choose,
}: Pick<RequestProps, 'declared' | 'chosen' | 'choose'> & { readonly terms: Terms; readonly set: (part: Partial<Terms>) => void }) => (
  <fieldset>
    <legend>Which tools</legend>
    <label class="choice">
      <input type="radio" name="which" checked={!terms.every} onChange={() => set({ every: false })} />
      {declared === undefined ? 'Those named below' : `Those ticked: ${chosen.size}`}
    </label>
    <label class="choice">
      <input type="radio" name="which" checked={terms.every} onChange={() => set({ every: true })} />
      Every tool, also those that it adds later
    </label>
    {!terms.every && declared === undefined && <Names chosen={chosen} choose={choose} />}
  </fieldset>
)

const Limits = ({ terms, set }: { readonly terms: Terms; readonly set: (part: Partial<Terms>) => void }) => (
  <>
    <label class="field">
      Ends after days
      <input
        type="number"
        min="1"
        max="3650"
        value={terms.days}
        placeholder="never"
        onInput={(event) => set({ days: event.currentTarget.value })}
      />
    </label>
    <label class="field">
      Calls in all, at most
      <input
        type="number"
        min="1"
        value={terms.calls}
        placeholder="as many as it wants"
        onInput={(event) => set({ calls: event.currentTarget.value })}
      />
    </label>
    <label class="field">
      Why
      <textarea rows={2} maxLength={4096} value={terms.reason} onInput={(event) => set({ reason: event.currentTarget.value })} />
    </label>
  </>
)

const useGroups = () => {
  const api = useApi()
  return useLive((signal) => api.groups.list({ limit: 200 }, { signal }), { wants: ({ stage }) => stage === 'apply' })
}

const useRequest = ({ server, chosen }: Pick<RequestProps, 'server' | 'chosen'>) => {
  const api = useApi()
  const act = useAct()
  const { label } = useSignature()
  const submit = (terms: Terms, group: string): Promise<boolean> =>
    act.run(async () => {
      const { id } = await api.changes.submit({
        kind: 'mcp_access',
        agentGroupID: group,
        requestedBy: label,
        after: afterOf(terms, server, [...chosen]),
        ...(terms.reason.trim() !== '' && { reason: terms.reason.trim() }),
      })
      notify('Asked. It waits for a decision.')
      go({ page: 'changes', rest: [id] })
    })
  return { act, submit }
}

export const RequestAccess = ({ server, declared, chosen, choose }: RequestProps) => {
  const groups = useGroups()
  const [terms, setTerms] = useState<Terms>({ group: '', every: false, days: '', calls: '', reason: '' })
  const set = (part: Partial<Terms>): void => setTerms((before) => ({ ...before, ...part }))
  const { act, submit } = useRequest({ server, chosen })
  const lacks = useLacks('requester')
  const items = groups.data?.items ?? []
  const group = terms.group === '' ? (items[0]?.id ?? '') : terms.group
  const isReady = group !== '' && (terms.every || chosen.size > 0)
  return (
    <section class="desk card" aria-labelledby="request">
      <h2 id="request">Request access</h2>
      {lacks !== undefined ? (
        <p class="note">{lacks}</p>
      ) : (
        <form
          class="stack"
          onSubmit={(event) => {
            event.preventDefault()
            void submit(terms, group)
          }}
        >
          <label class="field">
            Agent group
            <select value={group} onChange={(event) => set({ group: event.currentTarget.value })}>
              {items.map(({ id }) => (
                <option key={id} value={id}>
                  {id}
                </option>
              ))}
            </select>
          </label>
          <Which terms={terms} set={set} declared={declared} chosen={chosen} choose={choose} />
          <Limits terms={terms} set={set} />
          {act.problem !== undefined && <ProblemNote problem={act.problem} />}
          <p class="actions">
            <button type="submit" disabled={act.busy || !isReady}>
              Ask for access
            </button>
          </p>
        </form>
      )}
    </section>
  )
}
