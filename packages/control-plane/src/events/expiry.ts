// Something to do at the time when a token ends, however far away it is.

const farthest = 2 ** 31 - 1
/** The gateway's clock decides: where it is behind, it is asked again after this. */
const again = 500

/** Runs `act` from that time on until it is called off. */
export const endAt = (expiresAt: string | undefined, act: () => unknown): (() => void) => {
  if (expiresAt === undefined) return () => undefined
  const end = Date.parse(expiresAt)
  let timer: NodeJS.Timeout | undefined
  const arm = (pause: number): void => {
    timer = setTimeout(step, Math.min(pause, farthest))
    timer.unref()
  }
  const step = (): void => {
    const left = end - Date.now()
    if (left <= 0) act()
    arm(left > 0 ? left : again)
  }
  arm(Math.max(0, end - Date.now()))
  return () => clearTimeout(timer)
}
