// What comes, goes and stays, of two lists of names.

export type Turn = 'gained' | 'lost' | 'kept' | 'changed'

/** By name, in the order: what comes, what goes, what stays. */
export const turnsOf = (before: readonly string[], after: readonly string[]): { readonly name: string; readonly turn: Turn }[] => {
  const had = new Set(before)
  const has = new Set(after)
  return [
    ...[...has].filter((name) => !had.has(name)).map((name) => ({ name, turn: 'gained' as const })),
    ...[...had].filter((name) => !has.has(name)).map((name) => ({ name, turn: 'lost' as const })),
    ...[...has].filter((name) => had.has(name)).map((name) => ({ name, turn: 'kept' as const })),
  ]
}
