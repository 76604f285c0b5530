// The form that requests tools of a server for an agent group. The tools are added to those of the present grant, unless the
// requester chooses to replace it; what the group may use afterwards is shown before the request is sent.
import { addToGrant, findPresentGrant, isBasedOn } from '@gatehouse/client'
import type { AgentGroup, ChangeView, GrantView, ToolDefinition } from '@gatehouse/contracts'
import { useState } from 'preact/hooks'
import { wallMs } from '../../clock.ts'
import { Untrusted } from '../../components/elements.tsx'
import { TextArea, TextField } from '../../components/fields.tsx'
import { splitLines } from '../../components/split-lines.ts'
import { ProblemNote } from '../../components/problem-note.tsx'
import { useSubmit } from '../../components/use-action.ts'
import { everyPage } from '../../live/every-page.ts'
import { useGroups } from '../../live/use-list.ts'
import { useLive } from '../../live/use-live.ts'
import { useApi, useMissingRole } from '../../unit/unit.ts'

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
  /** Grant only these tools and terms, instead of adding them to the present grant. */
  readonly replace: boolean
  readonly days: string
  readonly calls: string
  readonly reason: string
}

interface FormPart {
  readonly terms: Terms
  readonly set: (part: Partial<Terms>) => void
  readonly present: GrantView | undefined
}

const day = 86_400_000

const buildRequest = ({ every, days, calls }: Terms, server: string, names: readonly string[]) => ({
  server,
  tools: every ? [] : [...names],
  ...(days !== '' && { expiresAt: new Date(wallMs() + Number(days) * day).toISOString() }),
  ...(calls !== '' && { maxCalls: Number(calls) }),
})

const Names = ({ chosen, choose }: Pick<RequestProps, 'chosen' | 'choose'>) => {
  const [text, setText] = useState([...chosen].join('\n'))
  return (
    <TextArea
      label="Tools, one a line"
      hint="Probe the server to choose from what it declares."
      value={text}
      set={(typed) => {
        setText(typed)
        choose(new Set(splitLines(typed).map((line) => line.trim())))
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
}: Pick<RequestProps, 'declared' | 'chosen' | 'choose'> & Omit<FormPart, 'present'>) => (
  <fieldset>
    <legend>Which tools</legend>
    <label class="choice">
      <input type="radio" name="which" checked={!terms.every} onChange={() => set({ every: false })} />
      {declared === undefined ? 'Those named below' : `Those ticked: ${chosen.size}`}
    </label>
    <label class="choice">
      <input type="radio" name="which" checked={terms.every} onChange={() => set({ every: true })} />
      Every tool, including those that it adds later
    </label>
    {!terms.every && declared === undefined && <Names chosen={chosen} choose={choose} />}
  </fieldset>
)

const Limits = ({ terms, set, present }: FormPart) => {
  const keeps = present !== undefined && !terms.replace
  return (
    <>
      <TextField
        label="Expires after days"
        type="number"
        min="1"
        max="3650"
        placeholder={keeps ? 'unchanged' : 'never'}
        value={terms.days}
        set={(days) => set({ days })}
      />
      <TextField
        label="Maximum calls"
        type="number"
        min="1"
        placeholder={keeps ? 'unchanged' : 'unlimited'}
        value={terms.calls}
        set={(calls) => set({ calls })}
      />
      <TextArea label="Reason" prose rows={2} maxLength={4096} value={terms.reason} set={(reason) => set({ reason })} />
    </>
  )
}

const listOf = (tools: readonly string[]): string => (tools.length === 0 ? 'every tool' : tools.join(', '))

const Replace = ({ terms, set, present }: FormPart) =>
  present !== undefined && (
    <label class="choice">
      <input type="checkbox" checked={terms.replace} onChange={(event) => set({ replace: event.currentTarget.checked })} />
      Replace the present grant: <Untrusted text={listOf(present.tools)} />
    </label>
  )

/** The tools that the group would no longer have. */
const listLost = (present: GrantView | undefined, tools: readonly string[]): string => {
  if (present === undefined || tools.length === 0) return ''
  return present.tools.length === 0 ? 'every other tool' : present.tools.filter((tool) => !tools.includes(tool)).join(', ')
}

/** What the group may use once the request is applied, and what it loses by it. */
const Result = ({
  group,
  present,
  tools,
}: {
  readonly group: string
  readonly present: GrantView | undefined
  readonly tools: string[]
}) => {
  const lost = listLost(present, tools)
  const loses = lost === '' ? '' : ` It loses ${lost}.`
  return (
    <p class="hint" role="status">
      <Untrusted text={`Result: ${group} may use ${listOf(tools)}.${loses}`} />
    </p>
  )
}

/** The grant of the group for this server. `present` is absent where the grant has ended; nothing is `known` until the unit answered. */
const useGrant = (group: string, server: string) => {
  const api = useApi()
  const { data } = useLive((signal) => everyPage((page) => api.grants.list({ ...page, agentGroupID: group }, { signal })), {
    of: [group],
    wants: ({ agentGroupID }) => agentGroupID === group,
  })
  const grant = findPresentGrant(data ?? [], server)
  return { isKnown: data !== undefined, grant, present: grant?.expired === false && !grant.exhausted ? grant : undefined }
}

const useRequest = ({ server, chosen }: RequestProps, first: string) => {
  const [terms, setTerms] = useState<Terms>({ group: first, every: false, replace: false, days: '', calls: '', reason: '' })
  const asks = useSubmit()
  const { group } = terms
  const { isKnown, grant, present } = useGrant(group, server)
  const request = buildRequest(terms, server, [...chosen])
  const after = terms.replace ? request : addToGrant(grant, request)
  const isNamed = terms.every || chosen.size > 0
  return {
    terms,
    set: (part: Partial<Terms>): void => setTerms((before) => ({ ...before, ...part })),
    asks,
    group,
    present,
    result: isKnown && isNamed ? after.tools : undefined,
    // Naming tools adds nothing to a grant of every tool.
    isReady: isKnown && isNamed && (terms.every || after.tools.length > 0),
    send: () =>
      asks.submit({
        kind: 'mcp_access',
        agentGroupID: group,
        after,
        reason: terms.reason,
        ...(!terms.replace && { isCurrent: (change: ChangeView) => isBasedOn(change, grant) }),
      }),
  }
}

const Form = ({ groups, first, ...props }: RequestProps & { readonly groups: readonly AgentGroup[]; readonly first: string }) => {
  const { terms, set, asks, group, present, result, isReady, send } = useRequest(props, first)
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault()
        void send()
      }}
    >
      <label class="field">
        Agent group
        <select value={group} onChange={(event) => set({ group: event.currentTarget.value, replace: false })}>
          {groups.map(({ id }) => (
            <option key={id} value={id}>
              {id}
            </option>
          ))}
        </select>
      </label>
      <Which {...props} terms={terms} set={set} />
      <Replace terms={terms} set={set} present={present} />
      <Limits terms={terms} set={set} present={present} />
      {result !== undefined && <Result group={group} present={present} tools={result} />}
      {asks.problem !== undefined && <ProblemNote problem={asks.problem} />}
      <p class="actions">
        <button type="submit" disabled={asks.busy || !isReady}>
          Request access
        </button>
      </p>
    </form>
  )
}

export const RequestAccess = (props: RequestProps) => {
  const groups = useGroups()
  const lacks = useMissingRole('requester')
  const first = groups.data?.[0]?.id
  return (
    <section class="desk card" aria-labelledby="request">
      <h2 id="request">Request access</h2>
      {lacks !== undefined ? (
        <p class="note">{lacks}</p>
      ) : (
        first !== undefined && <Form {...props} groups={groups.data ?? []} first={first} />
      )}
    </section>
  )
}
