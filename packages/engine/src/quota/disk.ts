// The disk of a group: an image on the host's disk, mounted where the group's files are.

export interface Disk {
  /** Lies beside others in a directory of the host's own. */
  readonly image: string
  /** Absolute and without links. */
  readonly point: string
  readonly MiB: number
}

/** Names beside the image that hold something only while it is being made. */
export const besides = (image: string) => ({
  /** The next image, not complete. */
  making: `${image}.making`,
  /** Where the next image is mounted. */
  filling: `${image}.filling`,
  /** What is in the image already. */
  copied: `${image}.copied`,
})
