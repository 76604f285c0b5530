// When each session was last allowed a tool: from then on its agent may have read what a stranger wrote.

export interface LastCalls {
  /** A call of this session was allowed just now. */
  note(session: string): void
  /** Whether output of a tool may have reached the session since then; it may have where nobody was there to know. */
  since(session: string, time: string | undefined): boolean
  forget(session: string): void
}

export const createLastCalls = (clock: () => number): LastCalls => {
  const born = clock()
  const calls = new Map<string, number>()
  return {
    note: (session) => void calls.set(session, clock()),
    since: (session, time) => {
      const last = calls.get(session)
      if (time === undefined) return last !== undefined
      const from = Date.parse(time)
      return from < born || (last !== undefined && last >= from)
    },
    forget: (session) => void calls.delete(session),
  }
}
