// Promises that stop waiting on a signal, and reports that are sent a second time after a lost connection.
/** Rejects with the reason of the signal where that aborts first. */
export const abortable = async <T>(awaited: Promise<T>, signal: AbortSignal): Promise<T> => {
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

/** Tells the gateway once more what it could not be told: a connection may have ended with it, and twice is as good as once. */
export const retryOnce = <T>(tell: () => Promise<T>): Promise<T> => tell().catch(tell)
