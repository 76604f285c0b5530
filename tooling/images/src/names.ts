// The images of a release.

export const imageNames = ['control-plane', 'sandbox'] as const
export type ImageName = (typeof imageNames)[number]
