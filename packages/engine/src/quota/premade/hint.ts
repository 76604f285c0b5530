// What an admin does about disks that lack: setup as it is called on that host, which the page says, with other disks.

/** `disks`: as after `--disks`. */
export const setupHint = (disks: string, effect: string): string =>
  `gatehouse setup --disks ${disks} ${effect}: docs/how-to/bare-host.md (Disks of groups)`
