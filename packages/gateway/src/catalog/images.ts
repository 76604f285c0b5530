// Resolves image references of tool servers to image ids, as the runner reports them.
import type { CatalogEntry } from '@gatehouse/contracts'
import type { EvidenceWaiters, PendingRequests } from '../state/evidence-waiters.ts'
import type { Subscribers } from '../state/subscribers.ts'

export interface ImageReport {
  readonly image: string
  readonly id?: string | undefined
}

export interface Images {
  /** The current id of an image; undefined if there is no such image or the runner does not answer in time. */
  resolve(image: string): Promise<string | undefined>
  report(images: readonly ImageReport[]): void
}

interface ImagesDeps {
  readonly subscribers: Pick<Subscribers, 'runner'>
  readonly arrivals: EvidenceWaiters
  readonly asking: PendingRequests
  /** Milliseconds. */
  readonly evidenceWait: number
}

const imageArrival = (image: string): string => `image ${image}`

export const createImages = ({ subscribers, arrivals, asking, evidenceWait }: ImagesDeps): Images => {
  const ids = new Map<string, string | undefined>()
  return {
    resolve: async (image) => {
      const isReported = await asking.until({
        of: 'runner',
        answer: arrivals.wait(imageArrival(image), evidenceWait),
        ask: () => subscribers.runner('images-wanted', { images: [image] }),
      })
      return isReported ? ids.get(image) : undefined
    },
    report: (images) => {
      for (const { image, id } of images) {
        ids.set(image, id)
        arrivals.notify(imageArrival(image))
        // Callers that wait read the id in the microtasks that follow. Ids that nobody requested are dropped.
        setImmediate(() => ids.delete(image))
      }
    },
  }
}

/** Pins an entry to the current id of its image. If the image is not found, an earlier pin of the same image name is kept. */
export const pinImage = async (images: Images, entry: CatalogEntry, stored: CatalogEntry | undefined): Promise<CatalogEntry> => {
  if (entry.transport !== 'stdio') return entry
  const { imageID: _sent, ...rest } = entry
  if (rest.image === undefined || rest.image === '') return rest
  const before = stored?.transport === 'stdio' && stored.image === rest.image ? stored.imageID : undefined
  const imageID = (await images.resolve(rest.image)) ?? before
  return imageID === undefined ? rest : { ...rest, imageID }
}
