// The routes of the admin API, out of its OpenAPI document.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { code, page, table } from '../page.ts'
import { fieldsOf, type Names, type Schema, wordsOf } from '../schema.ts'

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly description?: string
  readonly schema: Schema
}

type Content = Readonly<Record<string, { readonly schema?: Schema }>>

interface Operation {
  readonly summary: string
  readonly tags: readonly string[]
  readonly security?: readonly unknown[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: Content }>>
}

interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Names }
}

interface Route {
  readonly method: string
  readonly path: string
  readonly operation: Operation
}

const read = async (): Promise<OpenApi> =>
  JSON.parse(await readFile(join(import.meta.dirname, '../../../../docs/reference/openapi.json'), 'utf8')) as OpenApi

const contentWords = (content: Content | undefined): string =>
  Object.entries(content ?? {})
    .map(([type, { schema = {} }]) => (type === 'application/json' ? wordsOf(schema) : code(type)))
    .join(', or ')

const answersOf = ({ responses }: Operation): string =>
  table(
    ['status', 'means', 'body'],
    Object.entries(responses)
      .filter(([status]) => status < '400')
      .map(([status, { description, content }]) => [status, description, contentWords(content)]),
  )

const errorsOf = ({ responses }: Operation): string => {
  const codes = Object.entries(responses)
    .filter(([status]) => status >= '400')
    .flatMap(([, { description }]) => [...description.matchAll(/`([a-z-]+)`:/g)].map(([, name = '']) => code(name)))
  return codes.length === 0 ? '' : `Errors: ${[...new Set(codes)].join(' ')}`
}

const parametersOf = ({ parameters = [] }: Operation): string =>
  parameters.length === 0
    ? ''
    : table(
        ['parameter', 'in', 'is', 'must', 'meaning'],
        parameters.map((each) => [
          code(each.name),
          each.in,
          wordsOf(each.schema),
          each.required === true ? 'yes' : '',
          each.description ?? '',
        ]),
      )

const bodyOf = ({ requestBody }: Operation): string =>
  Object.entries(requestBody?.content ?? {})
    .map(([type, { schema = {} }]) => `Body, ${code(type)}:\n\n${schema.$ref === undefined ? fieldsOf(schema) : wordsOf(schema)}`)
    .join('\n\n')

/** The bodies of answers that have no name. */
const shapesOf = ({ responses }: Operation): string =>
  Object.entries(responses)
    .filter(([status]) => status < '400')
    .flatMap(([status, { content }]) => Object.values(content ?? {}).map(({ schema = {} }) => ({ status, schema })))
    .filter(({ schema }) => schema.properties !== undefined)
    .map(({ status, schema }) => `Answer ${status}:\n\n${fieldsOf(schema)}`)
    .join('\n\n')

const sectionOf = ({ method, path, operation }: Route): string =>
  [
    `### ${method.toUpperCase()} ${path}`,
    `${operation.summary}.${operation.security === undefined || operation.security.length === 0 ? ' No token.' : ''}`,
    parametersOf(operation),
    bodyOf(operation),
    answersOf(operation),
    shapesOf(operation),
    errorsOf(operation),
  ]
    .filter((part) => part !== '')
    .join('\n\n')

const routesOf = ({ paths }: OpenApi): Route[] =>
  Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({ method, path, operation })),
  )

export const api = async (): Promise<string> => {
  const document = await read()
  const routes = routesOf(document)
  const tags = [...new Set(routes.map(({ operation }) => operation.tags[0] ?? 'other'))]
  return page(
    'Admin API',
    'Requests and responses are JSON, with `authorization: Bearer TOKEN` unless noted otherwise. The same as OpenAPI 3.1: [openapi.json](openapi.json), or `GET /v1/openapi.json` of a unit. See also [error codes](errors.md) and [permissions by role](roles.md).',
    'A principal may send 50 requests a second after an initial burst of 100 (`--rate-limit`). Above that it gets `429`, after half a second. Reads are also limited by size: beyond half a MiB at once they are served one at a time, with pauses, and after 8 MiB at half a MiB a second. Decisions and other acts are not delayed by this.',
    table(
      ['route', 'what it does'],
      routes.map(({ method, path, operation }) => [code(`${method.toUpperCase()} ${path}`), operation.summary]),
    ),
    ...tags.flatMap((tag) => [`## ${tag}`, ...routes.filter(({ operation }) => operation.tags[0] === tag).map(sectionOf)]),
    '## Named schemas',
    ...Object.entries(document.components.schemas).map(([name, schema]) => `### ${name}\n\n${fieldsOf(schema)}`),
  )
}
