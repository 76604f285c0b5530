// Asks for a change and leads the reader to it.
import { notify } from '../../parts/notices.tsx'
import { type Act, useAct } from '../../parts/use-act.ts'
import { go } from '../../router/router.ts'
import { useApi } from '../../unit/unit.ts'

interface Asked {
  readonly kind: string
  readonly agentGroupID: string
  readonly after: object
  readonly reason: string
}

export const useSubmit = (): Act & { readonly submit: (asked: Asked) => Promise<void> } => {
  const api = useApi()
  const act = useAct()
  return {
    ...act,
    submit: async ({ reason, ...asked }) => {
      await act.run(async () => {
        const { id } = await api.changes.submit({ ...asked, ...(reason !== '' && { reason }) })
        notify(`Asked for. The change ${id} waits for a decision.`)
        go({ page: 'changes', rest: [id] })
      })
    },
  }
}
