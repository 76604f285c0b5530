// Waits for shared work: an abort ends the waiting, not the work.
/** Rejects with the signal's reason as soon as it aborts. */
export const abortable = async <T>(work: Promise<T>, signal: AbortSignal): Promise<T> => {
  signal.throwIfAborted()
  const gaveUp = Promise.withResolvers<never>()
  const giveUp = (): void => gaveUp.reject(signal.reason)
  signal.addEventListener('abort', giveUp)
  try {
    return await Promise.race([work, gaveUp.promise])
  } finally {
    signal.removeEventListener('abort', giveUp)
  }
}
