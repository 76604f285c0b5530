// Every route of the listener, in one value that the application serves and the document describes.
import { Hono } from 'hono'
import type { Env } from '../env.ts'
import { chatRoutes } from './chat.ts'
import { changeRoutes } from './changes.ts'
import { consoleRoutes } from './console.ts'
import { documentRoutes } from './document.ts'
import { probeRoutes } from './probes.ts'
import { registryRoutes } from './registry.ts'
import { serverRoutes } from './servers.ts'
import { sessionRoutes } from './sessions.ts'
import { unitRoutes } from './unit.ts'

export const createRoutes = (readDocument: () => Promise<object>): Hono<Env> =>
  new Hono<Env>()
    .route('/', probeRoutes)
    .route('/', consoleRoutes)
    .route('/', changeRoutes)
    .route('/', registryRoutes)
    .route('/', serverRoutes)
    .route('/', sessionRoutes)
    .route('/', chatRoutes)
    .route('/', unitRoutes)
    .route('/', documentRoutes(readDocument))
