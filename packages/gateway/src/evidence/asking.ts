// What a witness was asked and has not told yet: it is asked again each time it comes, since it was not there, or may have forgotten.

export type Witness = 'broker' | 'runner'

export interface Question<T> {
  readonly of: Witness
  readonly ask: () => void
  /** Until then it is asked again. */
  readonly answer: Promise<T>
}

export interface Asking {
  /** Asks, and resolves with the answer. */
  until<T>(question: Question<T>): Promise<T>
  /** The witness has come. */
  again(witness: Witness): void
}

export const createAsking = (): Asking => {
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
