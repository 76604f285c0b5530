// Tells the gateway what references of images name on this host.
import type { Context } from '../sessions/context.ts'
import { tellTwice } from '../tell-twice.ts'

/** Without containers nothing is run by an image, so nothing is said of any. */
export const witnessImages = async (
  { gateway, toolContainers }: Pick<Context, 'gateway' | 'toolContainers'>,
  images: readonly string[],
) => {
  const seen = (await toolContainers?.sight(images)) ?? images.map((image) => ({ image }))
  await tellTwice(() => gateway.imagesSighted({ images: seen }))
}
