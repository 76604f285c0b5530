// Asks for a change, under the name that this tab has, and leads the reader to it.
import { type ChangeView, ServiceError } from '@gatehouse/contracts'
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
  /** Whether the change is about what the form showed; where it is not, it is withdrawn. */
  readonly isCurrent?: (change: ChangeView) => boolean
}

export const useSubmit = (): Act & { readonly submit: (asked: Asked) => Promise<boolean> } => {
  const api = useApi()
  const act = useAct()
  const { label } = useSignature()
  return {
    ...act,
    submit: ({ reason = '', isCurrent, ...asked }) =>
      act.run(async () => {
        const { id } = await api.changes.submit({ ...asked, requestedBy: label, ...(reason.trim() !== '' && { reason: reason.trim() }) })
        if (isCurrent !== undefined && !isCurrent(await api.changes.show(id))) {
          await api.changes.withdraw(id)
          throw new ServiceError('conflict', {
            detail: 'what this form showed has changed in the meantime, and the request was withdrawn',
            hint: 'check the form and send it again',
          })
        }
        notify('Asked. It waits for a decision.')
        go({ page: 'changes', rest: [id] })
      }),
  }
}
