// Batches concurrent writes: callers that arrive during one batch share the next, with one sync.
/** `run` answers item by item, in order; its error is every caller's error. */
export const createBatches = <I, O>(run: (items: readonly I[]) => Promise<readonly O[]>): ((item: I) => Promise<O>) => {
  let waiting: { readonly item: I; readonly outcome: PromiseWithResolvers<O> }[] = []
  let running = false

  const drain = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting
      waiting = []
      try {
        const results = await run(batch.map(({ item }) => item))
        for (const [index, result] of results.entries()) batch[index]?.outcome.resolve(result)
      } catch (error) {
        for (const { outcome } of batch) outcome.reject(error)
      }
    }
    running = false
  }

  return (item) => {
    const outcome = Promise.withResolvers<O>()
    waiting.push({ item, outcome })
    if (!running) {
      running = true
      void drain()
    }
    return outcome.promise
  }
}
