// Which packages of npm a group has.
import type { AgentGroup } from '@gatehouse/contracts'
import { useState } from 'preact/hooks'
import { linesOf } from '../../parts/lines-of.ts'
import { Lines } from '../../parts/text-fields.tsx'
import { AskForm } from './ask-form.tsx'

export const PackagesForm = ({ group }: { readonly group: AgentGroup }) => {
  const [text, setText] = useState(group.packages?.npm.join('\n') ?? '')
  const after = () => ({ npm: linesOf(text).map((line) => line.trim()) })
  return (
    <AskForm kind="packages" agentGroupID={group.id} after={after} label="Ask for these packages">
      <Lines
        label="Packages of npm, one a line"
        hint="name@1.2.3, the exact version. Those that are not named go; the host finds out what each brings along."
        value={text}
        set={setText}
      />
    </AskForm>
  )
}
