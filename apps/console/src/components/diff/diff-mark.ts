// The difference of two lists of names: gained, lost and kept.
export type DiffMark = 'gained' | 'lost' | 'kept' | 'changed'

/** In this order: gained, lost, kept. */
export const diffNames = (before: readonly string[], after: readonly string[]): { readonly name: string; readonly turn: DiffMark }[] => {
  const had = new Set(before)
  const has = new Set(after)
  return [
    ...[...has].filter((name) => !had.has(name)).map((name) => ({ name, turn: 'gained' as const })),
    ...[...had].filter((name) => !has.has(name)).map((name) => ({ name, turn: 'lost' as const })),
    ...[...has].filter((name) => had.has(name)).map((name) => ({ name, turn: 'kept' as const })),
  ]
}
