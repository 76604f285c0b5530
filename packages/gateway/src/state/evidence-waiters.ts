// Callers that wait for evidence, and requests that no process has answered yet. The gateway calls nobody: it publishes a
// request.
export interface EvidenceWaiters {
  /** Wakes everyone who waits for this key: the evidence is in the database. */
  notify(key: string): void
  /** Resolves with whether the evidence arrived within the milliseconds. Listens from the moment of the call. */
  wait(key: string, time: number): Promise<boolean>
}

export const serverArrival = (server: string): string => `server ${server}`
export const pathArrival = (source: string): string => `path ${source}`
export const treeArrival = (names: readonly string[]): string => `tree ${names.join(' ')}`

export const createEvidenceWaiters = (): EvidenceWaiters => {
  const waiting = new Map<string, Set<() => void>>()
  return {
    notify: (key) => {
      const callbacks = waiting.get(key)
      waiting.delete(key)
      for (const wake of callbacks ?? []) wake()
    },
    wait: (key, time) => {
      if (time <= 0) return Promise.resolve(false)
      const { promise, resolve } = Promise.withResolvers<boolean>()
      const others = waiting.get(key) ?? new Set()
      waiting.set(key, others)
      const wake = (): void => {
        clearTimeout(timer)
        resolve(true)
      }
      const timer = setTimeout(() => {
        others.delete(wake)
        if (others.size === 0 && waiting.get(key) === others) waiting.delete(key)
        resolve(false)
      }, time)
      others.add(wake)
      return promise
    },
  }
}

/** A process that provides evidence. */
export type EvidenceSource = 'broker' | 'runner'

export interface EvidenceRequest<T> {
  readonly of: EvidenceSource
  readonly ask: () => void
  /** The request is repeated until this settles. */
  readonly answer: Promise<T>
}

export interface PendingRequests {
  /** Sends the request, and resolves with its answer. */
  until<T>(request: EvidenceRequest<T>): Promise<T>
  /** Repeats the pending requests of a source that connected again and may have missed them. */
  again(source: EvidenceSource): void
}

export const createPendingRequests = (): PendingRequests => {
  const open = new Set<Pick<EvidenceRequest<unknown>, 'of' | 'ask'>>()
  return {
    until: async (request) => {
      open.add(request)
      try {
        request.ask()
        return await request.answer
      } finally {
        open.delete(request)
      }
    },
    again: (source) => {
      for (const { of, ask } of open) if (of === source) ask()
    },
  }
}
