// Something to do at the time when a token ends, however far away it is.
import { wallMs } from '@gatehouse/kernel'

/** The clock is read again after this, since it can be set; and the gateway, whose clock decides, is asked again. */
const lookEvery = 500

/** Runs `act` from that time on until it is called off. */
export const endAt = (expiresAt: string | undefined, act: () => unknown): (() => void) => {
  if (expiresAt === undefined) return () => undefined
  const end = Date.parse(expiresAt)
  const look = (): void => {
    const left = end - wallMs()
    if (left <= 0) act()
    timer = setTimeout(look, left > 0 ? Math.min(left, lookEvery) : lookEvery).unref()
  }
  let timer = setTimeout(look, 0).unref()
  return () => clearTimeout(timer)
}
