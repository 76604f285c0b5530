// Builders for the OpenAPI description of a route: its answers and every problem that it can return.
import { type Code, codes } from '@gatehouse/contracts'
import type { MiddlewareHandler } from 'hono'
import { describeRoute, type ResponsesWithResolver } from 'hono-openapi'
import type * as v from 'valibot'
import { problemType } from '../problem.ts'
import { documented } from './schemas.ts'

export type Answer = ResponsesWithResolver[string]

export interface Operation {
  readonly summary: string
  readonly tag:
    | 'changes'
    | 'audit'
    | 'agents'
    | 'chat'
    | 'tool servers'
    | 'mcp'
    | 'models'
    | 'channels'
    | 'tokens'
    | 'freeze'
    | 'unit'
    | 'console'
  readonly answers: ResponsesWithResolver
  /** In addition to the problems of every authenticated route. */
  readonly problems?: readonly Code[]
  /** Optional headers that the route reads. */
  readonly reads?: readonly RequestHeader[]
}

interface RequestHeader {
  readonly name: string
  readonly description: string
  readonly pattern?: string
}

const everywhere = ['malformed', 'host-refused', 'internal'] as const satisfies readonly Code[]
const behindToken = ['unauthorized', 'forbidden', 'rate-limited', 'too-large', 'unavailable', 'deadline'] as const satisfies readonly Code[]

export const json = (description: string, schema: v.GenericSchema): Answer => ({
  description,
  content: { 'application/json': { schema: documented(schema) } },
})

export const html = (description: string): Answer => ({ description, content: { 'text/html': { schema: { type: 'string' } } } })

export const text = (description: string): Answer => ({ description, content: { 'text/plain': { schema: { type: 'string' } } } })

const binary = { 'application/octet-stream': { schema: { type: 'string' as const, format: 'binary' } } }

export const bytes = (description: string): Answer => ({ description, content: binary })

const header = (name: string, description: string) => ({ headers: { [name]: { description, schema: { type: 'string' as const } } } })

/** A response with an additional header. */
export const withHeader = (answer: Answer, name: string, description: string): Answer => ({ ...answer, ...header(name, description) })

const parameterOf = ({ name, description, pattern }: RequestHeader) => ({
  in: 'header' as const,
  name,
  description,
  schema: { type: 'string' as const, ...(pattern !== undefined && { pattern }) },
})

/** By status. */
const withHeaders: Readonly<Record<number, ReturnType<typeof header>>> = {
  401: header('WWW-Authenticate', '`Bearer`'),
  429: header('Retry-After', 'Seconds'),
}

const problemsOf = (list: readonly Code[]): ResponsesWithResolver => {
  const byStatus = Map.groupBy(new Set(list), (code) => codes[code].status)
  const rows = [...byStatus].map(([status, group]): [string, Answer] => [
    String(status),
    {
      description: group.map((code) => `\`${code}\`: ${codes[code].title}`).join('. '),
      ...withHeaders[status],
      content: { [problemType]: { schema: { $ref: '#/components/schemas/Problem' } } },
    },
  ])
  return Object.fromEntries(rows)
}

/** A status can have other responses in addition to the problem document. */
const withProblems = (answers: ResponsesWithResolver, problems: ResponsesWithResolver): ResponsesWithResolver => {
  const both = Object.entries(problems).flatMap(([status, problem]): [string, Answer][] => {
    const own = answers[status]
    if (own === undefined || !('content' in own) || !('content' in problem)) return []
    const description = `${own.description}. ${problem.description}`
    return [[status, { ...withHeaders[Number(status)], description, content: { ...own.content, ...problem.content } }]]
  })
  return { ...answers, ...problems, ...Object.fromEntries(both) }
}

/** A route that requires a token. */
export const guarded = ({ summary, tag, answers, problems = [], reads = [] }: Operation): MiddlewareHandler =>
  describeRoute({
    summary,
    tags: [tag],
    security: [{ bearer: [] }],
    ...(reads.length > 0 && { parameters: reads.map(parameterOf) }),
    responses: withProblems(answers, problemsOf([...everywhere, ...behindToken, ...problems])),
  })

/** For a route with an optional body. Use it after the validator. */
export const bodyOptional: MiddlewareHandler = describeRoute({ requestBody: { required: false, content: {} } })

/** For a route that takes bytes. Use it before the handler. */
export const bytesBody: MiddlewareHandler = describeRoute({ requestBody: { required: true, content: binary } })

/** A route without a token and without data. */
export const unguarded = ({ summary, tag, answers, problems = [] }: Operation): MiddlewareHandler =>
  describeRoute({ summary, tags: [tag], security: [], responses: { ...answers, ...problemsOf([...everywhere, ...problems]) } })

/** Converts a route pattern to the form of the document and of labels: `{name}` for `:name`. */
export const documentedPath = (pattern: string): string => pattern.replaceAll(/:(\w+)(?:\{[^/]*\})?/g, '{$1}')
