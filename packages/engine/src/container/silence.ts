// Why Docker's client gets no answer, in words of our own: what it says itself may be of its templates.

export interface Silence {
  /** Goes on behind "docker". */
  readonly reason: string
  /** The daemon is there, and talks to others alone. */
  readonly forbidden: boolean
}

const address = /\b(?:unix|tcp|ssh|https?):\/\/[\w./:@[\]-]*[\w/\]]/

/** @param stderr of the client, of any release */
export const silenceOf = (stderr: string): Silence => {
  const where = address.exec(stderr.replaceAll(/https?:\/\/%2F\S*/g, ''))?.[0]
  const at = where === undefined ? '' : ` at ${where}`
  return /permission denied/i.test(stderr)
    ? { reason: `has a daemon${at} that does not talk to this user`, forbidden: true }
    : { reason: `has no daemon that answers${at}`, forbidden: false }
}
