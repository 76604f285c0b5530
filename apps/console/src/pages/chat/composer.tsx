// What the reader says. It stays in the field until the unit has taken it, and is taken once.
import { useRef, useState } from 'preact/hooks'
import { Lacks } from '../../parts/lacks.tsx'
import { ProblemNote } from '../../parts/problem-note.tsx'
import { useAct } from '../../parts/use-act.ts'
import { useApi, useLacks } from '../../unit/unit.ts'

interface ComposerProps {
  readonly group: string
  readonly conversation: string | undefined
  readonly sent: () => void
}

export const Composer = ({ group, conversation, sent }: ComposerProps) => {
  const api = useApi()
  const act = useAct()
  const lacks = useLacks('requester')
  const [text, setText] = useState('')
  const attempt = useRef<{ readonly text: string; readonly key: string }>(undefined)
  const send = async (): Promise<void> => {
    if (text.trim() === '' || act.busy) return
    // The same words again after a failure are the same message.
    if (attempt.current?.text !== text) attempt.current = { text, key: crypto.randomUUID() }
    const idempotencyKey = attempt.current.key
    const body = { agentGroupID: group, text, ...(conversation !== undefined && { conversationId: conversation }) }
    if (!(await act.run(() => api.chat.send(body, { idempotencyKey })))) return
    attempt.current = undefined
    setText((present) => (present === text ? '' : present))
    sent()
  }
  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault()
        void send()
      }}
    >
      {act.problem !== undefined && <ProblemNote problem={act.problem} />}
      <label for="text" class="unseen">
        Message
      </label>
      <textarea
        id="text"
        rows={2}
        value={text}
        placeholder="Write to the agent. Enter sends, Shift Enter begins a line."
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
          event.preventDefault()
          void send()
        }}
      />
      <button type="submit" disabled={act.busy || lacks !== undefined}>
        Send
      </button>
      <Lacks why={lacks} />
    </form>
  )
}
