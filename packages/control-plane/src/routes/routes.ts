// All routes, which the application serves and the OpenAPI document describes.
import { Hono } from 'hono'
import type { Env } from '../env.ts'
import { auditRoutes } from './audit.ts'
import { backupRoutes } from './backup.ts'
import { catalogRoutes } from './catalog.ts'
import { changeRoutes, decisionRoutes, submissionRoutes } from './changes.ts'
import { channelRoutes, webhookRoutes } from './channels.ts'
import { chatRoutes } from './chat.ts'
import { consoleRoutes } from './console.ts'
import { eventRoutes } from './events.ts'
import { fileRoutes } from './files.ts'
import { freezeRoutes } from './freeze.ts'
import { loginRoutes } from './logins.ts'
import { mcpRoutes } from './mcp.ts'
import { modelRoutes } from './models.ts'
import { registryRoutes } from './registry.ts'
import { serverRoutes } from './servers.ts'
import { sessionRoutes } from './sessions.ts'
import { tokenRoutes } from './tokens.ts'
import { documentRoutes, probeRoutes, sealRoutes, unitRoutes } from './unit.ts'

export interface RouteOptions {
  /** Monotonic milliseconds, for the limiters. */
  readonly now?: (() => number) | undefined
  /** Whether to serve MCP clients outside a sandbox. */
  readonly hasMcp: boolean
}

export const createRoutes = (readDocument: () => Promise<object>, { now, hasMcp }: RouteOptions): Hono<Env> => {
  const routes = new Hono<Env>()
    .route('/', probeRoutes)
    .route('/', consoleRoutes)
    .route('/', submissionRoutes)
    .route('/', changeRoutes)
    .route('/', decisionRoutes)
    .route('/', auditRoutes)
    .route('/', eventRoutes)
    .route('/', registryRoutes)
    .route('/', fileRoutes)
    .route('/', serverRoutes)
    .route('/', catalogRoutes)
    .route('/', loginRoutes)
    .route('/', modelRoutes)
    .route('/', channelRoutes)
    .route('/', webhookRoutes(now))
    .route('/', tokenRoutes)
    .route('/', freezeRoutes)
    .route('/', sessionRoutes)
    .route('/', chatRoutes)
    .route('/', sealRoutes)
    .route('/', unitRoutes)
    .route('/', backupRoutes)
    .route('/', documentRoutes(readDocument))
  return hasMcp ? routes.route('/', mcpRoutes) : routes
}
