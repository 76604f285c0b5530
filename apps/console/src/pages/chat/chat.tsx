// Talk to an agent group, read what it answered.
import type { ServiceError } from '@gatehouse/contracts'
import { toServiceError } from '@gatehouse/contracts'
import { useEffect, useRef, useState } from 'preact/hooks'
import { useLive } from '../../live/use-live.ts'
import { PageHead } from '../../parts/page-head.tsx'
import { ProblemNote } from '../../parts/problem-note.tsx'
import { Untrusted } from '../../parts/untrusted.tsx'
import { useApi } from '../../unit/unit.ts'

export const Chat = () => {
  const api = useApi()
  const groups = useLive((signal) => api.groups.list({}, { signal }))
  const [chosen, setChosen] = useState<string>()
  const group = chosen ?? groups.data?.items[0]?.id
  return (
    <>
      <PageHead title="Chat" />
      {groups.problem !== undefined && <ProblemNote problem={groups.problem} />}
      {groups.data !== undefined && group === undefined && (
        <p class="empty">There is no agent group yet. One comes with an approved change of kind agent_create.</p>
      )}
      {group !== undefined && (
        <>
          <label class="inline">
            Agent group
            <select value={group} onChange={(event) => setChosen(event.currentTarget.value)}>
              {groups.data?.items.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name} ({id})
                </option>
              ))}
            </select>
          </label>
          <Conversation key={group} group={group} />
        </>
      )}
    </>
  )
}

const Conversation = ({ group }: { readonly group: string }) => {
  const api = useApi()
  const live = useLive((signal) => api.chat.messages(group, {}, { signal }), { of: [group], every: 1_000 })
  const [text, setText] = useState('')
  const [problem, setProblem] = useState<ServiceError>()
  const end = useRef<HTMLLIElement>(null)
  const messages = live.data?.messages ?? []
  useEffect(() => end.current?.scrollIntoView({ block: 'nearest' }), [messages.length])

  const send = async (): Promise<void> => {
    try {
      await api.chat.send({ agentGroupID: group, text })
      setText('')
      setProblem(undefined)
    } catch (error) {
      setProblem(toServiceError(error))
    }
    live.refresh()
  }
  return (
    <>
      <ol class="messages" aria-live="polite" aria-label="Messages">
        {live.data !== undefined && messages.length === 0 && (
          <li class="empty">Say something. The agent's sandbox starts with the first message.</li>
        )}
        {messages.map(({ id, from, text: said }) => (
          <li key={id} class={from}>
            <span class="who">{from}</span> <Untrusted text={said} />
          </li>
        ))}
        <li ref={end} class="end" aria-hidden="true" />
      </ol>
      {(problem ?? live.problem) !== undefined && <ProblemNote problem={(problem ?? live.problem) as ServiceError} />}
      <form
        class="composer"
        onSubmit={(event) => {
          event.preventDefault()
          if (text.trim() !== '') void send()
        }}
      >
        <label for="text">Message</label>
        <input id="text" value={text} autocomplete="off" onInput={(event) => setText(event.currentTarget.value)} />
        <button type="submit">Send</button>
      </form>
    </>
  )
}
