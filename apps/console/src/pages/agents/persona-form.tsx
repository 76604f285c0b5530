// Other instructions for a group.
import type { AgentGroup } from '@gatehouse/contracts'
import { useState } from 'preact/hooks'
import { Lines } from '../../parts/text-fields.tsx'
import { AskForm } from './ask-form.tsx'

export const PersonaForm = ({ group }: { readonly group: AgentGroup }) => {
  const [text, setText] = useState(group.persona)
  return (
    <AskForm kind="persona" agentGroupID={group.id} after={() => ({ instructions: text })} label="Ask for these instructions">
      <Lines label="Instructions" prose rows={10} value={text} set={setText} />
    </AskForm>
  )
}
