// What is mounted at a path of this host, as the kernel has it now.
import { type Mounted, readMounts } from '@gatehouse/kernel'

/** The last of them hides those before it. */
export const mountedAt = async (point: string): Promise<Mounted | undefined> =>
  (await readMounts()).findLast((mounted) => mounted.point === point)

export const isMounted = async (point: string): Promise<boolean> => (await mountedAt(point)) !== undefined

/** The device behind a mount; undefined where nothing is mounted. */
export const deviceAt = async (point: string): Promise<string | undefined> => (await mountedAt(point))?.source

/** After a fault of the host's own disk the kernel lets nobody write there any more. */
export const isReadOnly = async (point: string): Promise<boolean> => (await mountedAt(point))?.readOnly ?? false
