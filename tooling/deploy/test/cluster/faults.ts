// Releases that do not start, each in the way that the page has a row for.
import { waitFor } from '@gatehouse/end-to-end'
import type { Hand } from './hand.ts'

const agents = 'kubectl --namespace agents'

export interface Fault {
  readonly release: string
  /** More words for `helm install`. */
  readonly set: string
}

export interface Told {
  readonly code: string
  readonly log: string
}

const ended = (hand: Hand, pod: string, state: string): Promise<string> =>
  hand.type(`${agents} get pod ${pod} --output 'jsonpath={.status.containerStatuses[0].${state}.terminated.exitCode}'`)

/** Installs it and waits until its pod ended once. The release is taken away again. */
export const tellFault = async (hand: Hand, { release, set }: Fault): Promise<Told> => {
  const pod = `${release}-gatehouse-0`
  await hand.type(`helm --namespace agents install ${release} charts/gatehouse --values values.yaml --set ingress.enabled=false ${set}`)
  try {
    return await waitFor(`${pod} to end`, 180_000, async () => {
      for (const [state, flag] of [
        ['lastState', '--previous'],
        ['state', ''],
      ] as const) {
        const code = await ended(hand, pod, state)
        // What it said may not be there yet, or no more.
        const log = code === '' ? '' : await hand.type(`${agents} logs ${pod} ${flag}`)
        if (log !== '') return { code, log }
      }
      return undefined
    })
  } finally {
    await hand.type(`helm --namespace agents uninstall ${release} --wait`)
  }
}
