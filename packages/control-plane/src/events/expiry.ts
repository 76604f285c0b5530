// Acts when a token expires, by a clock that may be set meanwhile.
import { wallMs } from '@gatehouse/kernel'

/** The clock is read again after this, since it can be set; and the gateway, whose clock decides, is asked again. */
const lookEvery = 500

/** Runs `act` from that time on until it is called off. A clock that is set forward brings it earlier, one that is set back no later. */
export const endAt = (expiresAt: string | undefined, act: () => unknown): (() => void) => {
  if (expiresAt === undefined) return () => undefined
  const end = Date.parse(expiresAt)
  const latest = performance.now() + end - wallMs()
  const look = (): void => {
    const left = Math.min(end - wallMs(), latest - performance.now())
    if (left <= 0) act()
    timer = setTimeout(look, left > 0 ? Math.min(left, lookEvery) : lookEvery).unref()
  }
  let timer = setTimeout(look, 0).unref()
  return () => clearTimeout(timer)
}
