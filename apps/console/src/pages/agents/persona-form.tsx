// Other instructions for a group.
import type { AgentGroup } from '@gatehouse/contracts'
import { useState } from 'preact/hooks'
import { AskForm } from './ask-form.tsx'

export const PersonaForm = ({ group }: { readonly group: AgentGroup }) => {
  const [text, setText] = useState(group.persona)
  return (
    <AskForm kind="persona" agentGroupID={group.id} after={() => ({ instructions: text })} label="Ask for these instructions">
      <label class="field">
        Instructions
        <textarea rows={10} value={text} onInput={(event) => setText(event.currentTarget.value)} />
      </label>
    </AskForm>
  )
}
