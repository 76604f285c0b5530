// Asks that an agent may use tools of this server: a change, which a person then decides.
import type { ToolDefinition } from '@gatehouse/contracts'
import { useState } from 'preact/hooks'
import { useGroups } from '../../live/use-groups.ts'
import { wallMs } from '../../parts/clock.ts'
import { ProblemNote } from '../../parts/problem-note.tsx'
import { linesOf } from '../../parts/lines-of.ts'
import { Line, Lines } from '../../parts/text-fields.tsx'
import { useSubmit } from '../../parts/use-submit.ts'
import { useLacks } from '../../unit/unit.ts'

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
  ...(days !== '' && { expiresAt: new Date(wallMs() + Number(days) * day).toISOString() }),
  ...(calls !== '' && { maxCalls: Number(calls) }),
})

const Names = ({ chosen, choose }: Pick<RequestProps, 'chosen' | 'choose'>) => {
  const [text, setText] = useState([...chosen].join('\n'))
  return (
    <Lines
      label="Tools, one a line"
      hint="Probe the server to choose from what it declares."
      value={text}
      set={(typed) => {
        setText(typed)
        choose(new Set(linesOf(typed).map((line) => line.trim())))
      }}
    />
  )
}

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
    <Line label="Ends after days" type="number" min="1" max="3650" placeholder="never" value={terms.days} set={(days) => set({ days })} />
    <Line
      label="Calls in all, at most"
      type="number"
      min="1"
      placeholder="as many as it wants"
      value={terms.calls}
      set={(calls) => set({ calls })}
    />
    <Lines label="Why" prose rows={2} maxLength={4096} value={terms.reason} set={(reason) => set({ reason })} />
  </>
)

export const RequestAccess = ({ server, declared, chosen, choose }: RequestProps) => {
  const groups = useGroups()
  const [terms, setTerms] = useState<Terms>({ group: '', every: false, days: '', calls: '', reason: '' })
  const set = (part: Partial<Terms>): void => setTerms((before) => ({ ...before, ...part }))
  const asks = useSubmit()
  const lacks = useLacks('requester')
  const items = groups.data ?? []
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
            void asks.submit({ kind: 'mcp_access', agentGroupID: group, after: afterOf(terms, server, [...chosen]), reason: terms.reason })
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
          {asks.problem !== undefined && <ProblemNote problem={asks.problem} />}
          <p class="actions">
            <button type="submit" disabled={asks.busy || !isReady}>
              Ask for access
            </button>
          </p>
        </form>
      )}
    </section>
  )
}
