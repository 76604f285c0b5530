// Something that a person has the unit do: once at a time, with what went wrong.
import { type ServiceError, toServiceError } from '@gatehouse/contracts'
import { useState } from 'preact/hooks'

export interface Act {
  readonly busy: boolean
  readonly problem: ServiceError | undefined
  /** True once it is done. */
  run(act: () => Promise<unknown>): Promise<boolean>
  forget(): void
}

export const useAct = (): Act => {
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
