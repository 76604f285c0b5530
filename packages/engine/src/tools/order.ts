// What a tool server in a container is given, beside the walls that every one has.
import type { Mount } from '../driver.ts'

export interface ToolOrder {
  readonly name: string
  /** Label by which strays are found again. */
  readonly unitId: string
  /** An id, never a name. */
  readonly image: string
  readonly command: string
  readonly args: readonly string[]
  /** They reach the container by the environment of the engine's client, never by its arguments. */
  readonly env: Readonly<Record<string, string>>
  readonly mounts: readonly Mount[]
  /** Path of the system call filter. */
  readonly profile: string
}
