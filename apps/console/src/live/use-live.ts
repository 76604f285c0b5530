// Keeps one answer of the API fresh: asks at once, then every two seconds while the page is seen.
import { useCallback, useEffect, useState } from 'preact/hooks'
import { toServiceError, type ServiceError } from '@gatehouse/contracts'

const interval = 2_000

export interface Live<T> {
  readonly data: T | undefined
  readonly problem: ServiceError | undefined
  refresh(): void
}

/** The last good answer stays while later ones fail. */
export const useLive = <T>(ask: () => Promise<T>, dependencies: readonly unknown[]): Live<T> => {
  const [data, setData] = useState<T>()
  const [problem, setProblem] = useState<ServiceError>()
  const [turn, setTurn] = useState(0)

  useEffect(() => {
    let wanted = true
    const once = async (): Promise<void> => {
      try {
        const answer = await ask()
        if (!wanted) return
        setData(answer)
        setProblem(undefined)
      } catch (error) {
        if (wanted) setProblem(toServiceError(error))
      }
    }
    void once()
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') void once()
    }, interval)
    return () => {
      wanted = false
      clearInterval(timer)
    }
  }, [...dependencies, turn])

  return { data, problem, refresh: useCallback(() => setTurn((value) => value + 1), []) }
}
