// The frame of the forms that request a change: fields, reason, and the error of the unit.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { MissingRole } from '../../components/elements.tsx'
import { TextField } from '../../components/fields.tsx'
import { ProblemNote } from '../../components/problem-note.tsx'
import { useSubmit } from '../../components/use-action.ts'
import { useMissingRole } from '../../unit/unit.ts'

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
  const lacks = useMissingRole('requester')
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
      <TextField label="Reason for the approver (optional)" maxLength={4096} value={reason} set={setReason} />
      {asks.problem !== undefined && <ProblemNote problem={asks.problem} />}
      <MissingRole why={lacks} />
      <button type="submit" disabled={asks.busy || lacks !== undefined}>
        {label}
      </button>
    </form>
  )
}
