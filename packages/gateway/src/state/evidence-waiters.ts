// Callers that wait for evidence, and requests that no process has answered yet. The gateway calls nobody: it publishes a
// request.
export interface EvidenceWaiters {
  /** What everybody was waiting for under this key is in the database. */
  tell(key: string): void
  /** Resolves with whether it came before the milliseconds were over. Listens from the moment of the call. */
  wait(key: string, time: number): Promise<boolean>
}

export const serverArrival = (server: string): string => `server ${server}`
export const pathArrival = (source: string): string => `path ${source}`
export const treeArrival = (names: readonly string[]): string => `tree ${names.join(' ')}`

export const createEvidenceWaiters = (): EvidenceWaiters => {
  const waiting = new Map<string, Set<() => void>>()
  return {
    tell: (key) => {
      const told = waiting.get(key)
      waiting.delete(key)
      for (const tell of told ?? []) tell()
    },
    wait: (key, time) => {
      if (time <= 0) return Promise.resolve(false)
      const { promise, resolve } = Promise.withResolvers<boolean>()
      const others = waiting.get(key) ?? new Set()
      waiting.set(key, others)
      const tell = (): void => {
        clearTimeout(timer)
        resolve(true)
      }
      const timer = setTimeout(() => {
        others.delete(tell)
        if (others.size === 0 && waiting.get(key) === others) waiting.delete(key)
        resolve(false)
      }, time)
      others.add(tell)
      return promise
    },
  }
}

/** What a witness was asked and has not told yet: it is asked again each time it comes, since it was not there, or may have forgotten. */
export type EvidenceSource = 'broker' | 'runner'

export interface Question<T> {
  readonly of: EvidenceSource
  readonly ask: () => void
  /** Until then it is asked again. */
  readonly answer: Promise<T>
}

export interface PendingRequests {
  /** Asks, and resolves with the answer. */
  until<T>(question: Question<T>): Promise<T>
  /** The witness has come. */
  again(witness: EvidenceSource): void
}

export const createPendingRequests = (): PendingRequests => {
  const open = new Set<Pick<Question<unknown>, 'of' | 'ask'>>()
  return {
    until: async (question) => {
      open.add(question)
      try {
        question.ask()
        return await question.answer
      } finally {
        open.delete(question)
      }
    },
    again: (witness) => {
      for (const { of, ask } of open) if (of === witness) ask()
    },
  }
}
