// Runs a function on many items with limited concurrency. The first failure stops it.

export const each = async <T, R>(items: readonly T[], atOnce: number, act: (item: T) => Promise<R>): Promise<R[]> => {
  const results: R[] = []
  let next = 0
  const work = async (): Promise<void> => {
    for (let index = next; index < items.length; index = next) {
      next += 1
      const item = items[index]
      if (item !== undefined) results[index] = await act(item)
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, work)).catch((error: unknown) => {
    next = items.length
    throw error
  })
  return results
}
