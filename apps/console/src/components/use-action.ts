// Actions that a person starts: one at a time, with the error of the last one.
import { type ChangeView, ServiceError, toServiceError } from '@gatehouse/contracts'
import { useState } from 'preact/hooks'
import { go } from '../router/router.ts'
import { useApi, useSignature } from '../unit/unit.ts'
import { notify } from './notices.tsx'

export interface Action {
  readonly busy: boolean
  readonly problem: ServiceError | undefined
  /** True once it is done. */
  run(act: () => Promise<unknown>): Promise<boolean>
  forget(): void
}

export const useAction = (): Action => {
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<ServiceError>()
  return {
    busy,
    problem,
    forget: () => setProblem(undefined),
    run: async (act) => {
      setBusy(true)
      try {
        await act()
        setProblem(undefined)
        return true
      } catch (error) {
        setProblem(toServiceError(error))
        return false
      } finally {
        setBusy(false)
      }
    },
  }
}

export interface ChangeRequest {
  readonly kind: string
  readonly agentGroupID: string
  readonly after: object
  readonly reason?: string
  /** Whether the change is based on what the form showed. A change that is not is withdrawn. */
  readonly isCurrent?: (change: ChangeView) => boolean
}

/** Submits a change under the name that this tab keeps, and opens its page. */
export const useSubmit = (): Action & { readonly submit: (request: ChangeRequest) => Promise<boolean> } => {
  const api = useApi()
  const act = useAction()
  const { label } = useSignature()
  return {
    ...act,
    submit: ({ reason = '', isCurrent, ...request }) =>
      act.run(async () => {
        const { id } = await api.changes.submit({ ...request, requestedBy: label, ...(reason.trim() !== '' && { reason: reason.trim() }) })
        if (isCurrent !== undefined && !isCurrent(await api.changes.show(id))) {
          await api.changes.withdraw(id)
          throw new ServiceError('conflict', {
            detail: 'the grant changed in the meantime, and the request was withdrawn',
            hint: 'check the form and send it again',
          })
        }
        notify('Requested. The change is pending.')
        go({ page: 'changes', rest: [id] })
      }),
  }
}
