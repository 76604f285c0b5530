// The wall clock of the browser: for ages and dates that people read. Durations are measured with `performance.now()`.
/** Milliseconds since the epoch. */
export const wallMs = (): number => Date.now()
