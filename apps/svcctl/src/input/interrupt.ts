// Work that goes on until Ctrl-C.
import { Interrupted } from '../output/failure.ts'

/** Rejects with `Interrupted` when Ctrl-C ended it. */
export const untilInterrupted = async (act: (signal: AbortSignal) => Promise<void>): Promise<void> => {
  const ending = new AbortController()
  const interrupt = (): void => ending.abort(new Interrupted())
  process.once('SIGINT', interrupt)
  try {
    await act(ending.signal)
  } finally {
    process.removeListener('SIGINT', interrupt)
  }
  ending.signal.throwIfAborted()
}
