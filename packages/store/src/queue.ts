// Runs acts one after the other, in the order they were handed in; a failed one does not stop the next.

export type Queue = <T>(act: () => Promise<T>) => Promise<T>

export const createQueue = (): Queue => {
  let last: Promise<unknown> = Promise.resolve()
  return (act) => {
    const result = last.then(act, act)
    last = result
    // The caller holds `result`; this end only keeps the order.
    result.catch(() => {})
    return result
  }
}
