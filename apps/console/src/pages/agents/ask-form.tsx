// The frame of every form that asks for a change: its fields, why, and what the unit said to it.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Lacks } from '../../parts/lacks.tsx'
import { ProblemNote } from '../../parts/problem-note.tsx'
import { Line } from '../../parts/text-fields.tsx'
import { useLacks } from '../../unit/unit.ts'
import { useSubmit } from '../../parts/use-submit.ts'

interface AskFormProps {
  readonly kind: string
  /** Undefined while the fields do not say anything yet. */
  readonly agentGroupID: string
  readonly after: () => object
  readonly label: string
  readonly children?: ComponentChildren
}

export const AskForm = ({ kind, agentGroupID, after, label, children }: AskFormProps) => {
  const [reason, setReason] = useState('')
  const asks = useSubmit()
  const lacks = useLacks('requester')
  return (
    <form
      class="stack"
      aria-label={label}
      onSubmit={(event) => {
        event.preventDefault()
        void asks.submit({ kind, agentGroupID, after: after(), reason })
      }}
    >
      {children}
      <Line label="Reason, for who decides (optional)" maxLength={4096} value={reason} set={setReason} />
      {asks.problem !== undefined && <ProblemNote problem={asks.problem} />}
      <Lacks why={lacks} />
      <button type="submit" disabled={asks.busy || lacks !== undefined}>
        {label}
      </button>
    </form>
  )
}
