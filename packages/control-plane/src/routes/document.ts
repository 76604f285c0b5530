// The OpenAPI document, served behind the token.
import { Hono } from 'hono'
import type { Env } from '../env.ts'
import { guarded } from '../openapi/operation.ts'

/** `read` gives the document of the routes that this one is part of. */
export const documentRoutes = (read: () => Promise<object>): Hono<Env> =>
  new Hono<Env>().get(
    '/v1/openapi.json',
    guarded({
      summary: 'This document',
      tag: 'unit',
      answers: { 200: { description: 'OpenAPI 3.1', content: { 'application/json': { schema: { type: 'object' } } } } },
    }),
    async (c) => c.json(await read()),
  )
