// The word that somebody probably meant.

/** Undefined where none is near. */
export const nearest = async (word: string, known: readonly string[]): Promise<string | undefined> => {
  if (known.length === 0) return undefined
  const { closest, distance } = await import('fastest-levenshtein')
  const near = closest(word, known)
  return distance(word, near) <= Math.max(2, near.length / 3) ? near : undefined
}
