// Generates the OpenAPI 3.1 document from the routes.
import { type GenerateSpecOptions, generateSpecs } from 'hono-openapi'
import { createRoutes } from './routes/routes.ts'

const documentation: GenerateSpecOptions['documentation'] = {
  info: {
    title: 'Gatehouse admin API',
    description: 'Every change to an agent is held until a human approves it. Alpha: paths and bodies may still change.',
    version: '1',
    license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
  },
  servers: [{ url: 'http://127.0.0.1:8787', description: 'Default address of a unit' }],
  components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer', description: 'A development unit may require none' } } },
}

export type OpenApi = Awaited<ReturnType<typeof generateSpecs>>

/** Identical on every unit, so that it can be committed and compared. */
export const generateOpenApi = (): Promise<OpenApi> =>
  generateSpecs(createRoutes(generateOpenApi, { hasMcp: true }), {
    documentation,
    excludeStaticFile: false,
    defaultValidationErrorResponse: false,
  })
