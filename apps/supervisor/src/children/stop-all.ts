// Takes a unit's processes down in three steps: the listener first, the ground last, so that nobody calls a process that is gone.
// What lies between ends together, and the whole ends before whoever asked for it loses patience and kills.
import type { Birth } from './roster.ts'

interface Stoppable {
  readonly name: Birth['name']
  /** Resolves when it is gone, which it is made to be after so many milliseconds. */
  stop(most: number): Promise<void>
}

/** Milliseconds. Docker Compose and Kubernetes kill after 30 s, systemd after 40. */
const patience = 28_000
/** Of it, what each later step has for itself, however long the earlier ones take. */
const share = 2_000

const stepOf = ({ name }: Stoppable): number => (name === 'control-plane' ? 0 : name === 'gateway' ? 2 : 1)

interface StopOptions {
  readonly most?: number
  readonly clock?: () => number
}

export const stopAll = async (
  children: readonly Stoppable[],
  { most = patience, clock = () => performance.now() }: StopOptions = {},
): Promise<void> => {
  const deadline = clock() + most
  for (const step of [0, 1, 2]) {
    const left = deadline - clock() - ((2 - step) * share * most) / patience
    await Promise.all(children.filter((child) => stepOf(child) === step).map((child) => child.stop(Math.max(0, left))))
  }
}
