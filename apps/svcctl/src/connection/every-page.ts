// Follows the cursors of a list to its end, or until there is enough.

interface Page<T> {
  readonly items: readonly T[]
  readonly nextCursor?: string | undefined
}

export const everyPage = async <T>(ask: (cursor: string | undefined) => Promise<Page<T>>, enough = Infinity): Promise<T[]> => {
  const items: T[] = []
  let cursor: string | undefined
  do {
    const page = await ask(cursor)
    items.push(...page.items)
    cursor = page.nextCursor
  } while (cursor !== undefined && items.length < enough)
  return items.slice(0, enough)
}
