// Asks for a change, under the name that this tab has, and leads the reader to it.
import { go } from '../router/router.ts'
import { useSignature } from '../unit/signature.ts'
import { useApi } from '../unit/unit.ts'
import { notify } from './notices.tsx'
import { type Act, useAct } from './use-act.ts'

export interface Asked {
  readonly kind: string
  readonly agentGroupID: string
  readonly after: object
  readonly reason?: string
}

export const useSubmit = (): Act & { readonly submit: (asked: Asked) => Promise<boolean> } => {
  const api = useApi()
  const act = useAct()
  const { label } = useSignature()
  return {
    ...act,
    submit: ({ reason = '', ...asked }) =>
      act.run(async () => {
        const { id } = await api.changes.submit({ ...asked, requestedBy: label, ...(reason.trim() !== '' && { reason: reason.trim() }) })
        notify('Asked. It waits for a decision.')
        go({ page: 'changes', rest: [id] })
      }),
  }
}
