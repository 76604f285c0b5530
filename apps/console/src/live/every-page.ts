// Reads a whole list, page by page.
export interface PageOf<T> {
  readonly items: readonly T[]
  readonly nextCursor?: string | undefined
}

export const everyPage = async <T>(ask: (page: { limit: number; cursor?: string | undefined }) => Promise<PageOf<T>>): Promise<T[]> => {
  const items: T[] = []
  let cursor: string | undefined
  do {
    const page = await ask({ limit: 200, cursor })
    items.push(...page.items)
    cursor = page.nextCursor
  } while (cursor !== undefined)
  return items
}
