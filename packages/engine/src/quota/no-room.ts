// Whether a disk had no room left: Node says it by a code, programs say it in words.

const words = 'No space left'

/** Where a program said it, however much else it said. */
export const saysNoRoom = (said: string): boolean => /: No space left on device(?: |$)/m.test(said)

export const isNoRoom = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOSPC'

/** In the words by which whoever launches knows it: Node's own are others. */
export const inWords = (error: unknown): unknown => {
  if (!(error instanceof Error) || !isNoRoom(error) || error.message.includes(words)) return error
  return Object.assign(new Error(`${words}: ${error.message}`, { cause: error }), { code: 'ENOSPC' })
}
