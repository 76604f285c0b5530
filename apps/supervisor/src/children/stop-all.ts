// Takes a unit's processes down in four steps: the listener, who calls the runner, the runner, the ground: nobody calls a process that
// is gone. Those of one step end together, and the whole ends before whoever asked for it loses patience and kills.
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

const steps: readonly Stoppable['name'][] = ['control-plane', 'runner', 'gateway']

/** Channels note with the runner what a service took, or it would be sent again. */
const stepOf = ({ name }: Stoppable): number => [0, 2, 3][steps.indexOf(name)] ?? 1

interface StopOptions {
  readonly most?: number
  readonly clock?: () => number
}

export const stopAll = async (
  children: readonly Stoppable[],
  { most = patience, clock = () => performance.now() }: StopOptions = {},
): Promise<void> => {
  const deadline = clock() + most
  for (const step of [0, 1, 2, 3]) {
    const left = deadline - clock() - ((3 - step) * share * most) / patience
    await Promise.all(children.filter((child) => stepOf(child) === step).map((child) => child.stop(Math.max(0, left))))
  }
}
