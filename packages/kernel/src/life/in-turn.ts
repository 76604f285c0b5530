// Runs acts one after the other, in the order in which they were asked for.

/** A failed act fails for who asked for it, and stops none of the later ones. */
export const inTurn = (): ((act: () => Promise<void>) => Promise<void>) => {
  let last: Promise<void> = Promise.resolve()
  return (act) => {
    const done = last.then(act)
    last = done.catch(() => undefined)
    return done
  }
}
