// Waits no longer than a signal allows, and leaves nothing on it: it may be that of the whole process.

/** Rejects with the reason of the signal where that aborts first. */
export const orAborted = async <T>(awaited: Promise<T>, signal: AbortSignal): Promise<T> => {
  const aborted = Promise.withResolvers<never>()
  const tell = (): void => aborted.reject(signal.reason)
  signal.addEventListener('abort', tell, { once: true })
  if (signal.aborted) tell()
  try {
    return await Promise.race([awaited, aborted.promise])
  } finally {
    signal.removeEventListener('abort', tell)
  }
}
