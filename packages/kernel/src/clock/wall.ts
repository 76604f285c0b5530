// The machine's wall clock. People can set it and it can jump, so it only dates records and checks instants that others set.
// Every duration and every deadline inside one process is measured with `performance.now()`, which never jumps.

/** Milliseconds since the epoch. */
export const wallMs = (): number => Date.now()

/** The present instant, in ISO 8601 and UTC. */
export const wallTime = (): string => new Date().toISOString()
