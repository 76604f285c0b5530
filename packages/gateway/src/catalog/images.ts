// Resolves image references of tool servers to image ids, as the runner reports them.
import type { CatalogEntry } from '@gatehouse/contracts'
import type { EvidenceWaiters, PendingRequests } from '../state/evidence-waiters.ts'
import type { Subscribers } from '../state/subscribers.ts'

export interface ImageSight {
  readonly image: string
  readonly id?: string | undefined
}

export interface Images {
  /** The id that the runner told after this was asked; undefined where there is no such image, or no witness in time. */
  look(image: string): Promise<string | undefined>
  sighted(seen: readonly ImageSight[]): void
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
  const seen = new Map<string, string | undefined>()
  return {
    look: async (image) => {
      const isSeen = await asking.until({
        of: 'runner',
        answer: arrivals.wait(imageArrival(image), evidenceWait),
        ask: () => subscribers.runner('images-wanted', { images: [image] }),
      })
      return isSeen ? seen.get(image) : undefined
    },
    sighted: (told) => {
      for (const { image, id } of told) {
        seen.set(image, id)
        arrivals.tell(imageArrival(image))
        // Who waited reads it in the turns that follow; nobody reads what was not asked for.
        setImmediate(() => seen.delete(image))
      }
    },
  }
}

/** Pinned to what its image is now. What was pinned before under the same name stays where no image of it is seen. */
export const pinImage = async (images: Images, entry: CatalogEntry, stored: CatalogEntry | undefined): Promise<CatalogEntry> => {
  if (entry.transport !== 'stdio') return entry
  const { imageID: _sent, ...rest } = entry
  if (rest.image === undefined || rest.image === '') return rest
  const before = stored?.transport === 'stdio' && stored.image === rest.image ? stored.imageID : undefined
  const imageID = (await images.look(rest.image)) ?? before
  return imageID === undefined ? rest : { ...rest, imageID }
}
