// Every errand that is counted and done on a copy of the tree.
import type { Errand } from './errand.ts'
import { flag } from './flag.ts'
import { kind } from './kind.ts'
import { channel, driver, provider } from './services.ts'
import { command, limit, route } from './surfaces.ts'

export const errands: readonly Errand[] = [kind, flag, driver, channel, provider, route, limit, command]
