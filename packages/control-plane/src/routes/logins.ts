// Logins of the unit at remote tool servers: begun, finished and ended by an admin. The browser comes back to a route that needs no
// token and gives nothing away: what it brings is kept for whoever began the login, and for nobody else.
import {
  BegunLogin,
  buildClientMetadata,
  clientMetadataPath,
  limits,
  loginCallbackPath,
  LoginProgress,
  LogoutOutcome,
  ServerName,
  ServiceError,
} from '@gatehouse/contracts'
import { isLoopback } from '@gatehouse/kernel'
import { type Context, Hono } from 'hono'
import * as v from 'valibot'
import type { Env } from '../env.ts'
import { jsonBody } from '../guards/body.ts'
import { toolServersGuard } from '../guards/scope.ts'
import { guarded, html, json, unguarded } from '../openapi/operation.ts'
import { publicOrigin } from '../problem.ts'
import { body, existing } from './validate.ts'

const tag = 'tool servers'
const Named = v.object({ name: ServerName })
const Finish = v.strictObject({ id: v.pipe(v.string(), v.maxLength(256)) })

const ClientDocument = v.strictObject({
  client_id: v.string(),
  client_name: v.string(),
  redirect_uris: v.array(v.string()),
  grant_types: v.array(v.string()),
  response_types: v.array(v.string()),
  token_endpoint_auth_method: v.string(),
})

/** Undefined where only the operator knows under which address a browser finds the unit. */
const publicAddress = ({ publicUrls: [first] }: Env['Variables']['unit']['boot']): string | undefined => {
  if (first === undefined) return undefined
  return new URL(first.includes('://') ? first : `https://${first}`).origin
}

/** Never what a request claims: an authorization server sends codes there. */
const originOf = (c: Context<Env>): string => {
  const { boot } = c.var.unit
  const known = publicAddress(boot)
  if (known !== undefined) return known
  if (isLoopback(boot.host)) return publicOrigin(c)
  throw new ServiceError('conflict', {
    detail: 'expected a unit that knows its public address, which a browser comes back to after a login, got one that does not',
    hint: 'name it in SERVICE_PUBLIC_URL',
  })
}

const clientMetadataUrl = (origin: string): string | undefined =>
  origin.startsWith('https://') ? `${origin}${clientMetadataPath}` : undefined

/** Permitted by the gateway, done by the broker in the name of the principal. */
const admit = async (c: Context<Env>, given: ServerName) => {
  const { unit, token, call, principal } = c.var
  const { gateway, broker } = unit.peers
  if (broker === null) throw new ServiceError('mcp-disabled')
  await gateway.permit({ token, route: 'server-login' }, call)
  const { name } = await gateway.server({ token, name: given }, call)
  return { broker, name, principal: principal.name, call }
}

const page = (title: string, words: string): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>Gatehouse</title><h1>${title}</h1><p>${words}</p></html>\n`

const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
} as const

const answered = page('You can close this page', 'The unit has received the answer. The person who began the login sees the result.')
const unknown = page('This login is not known', 'It has ended, it was finished before, or it was begun elsewhere. Begin it again.')

/** Undefined where a member is there twice, is too long, or the state is missing. */
const readAnswer = (query: URLSearchParams) => {
  const names = ['state', 'code', 'error', 'iss'] as const
  if (names.some((name) => query.getAll(name).length > 1 || (query.get(name)?.length ?? 0) > 4096)) return undefined
  const [state, code, error, iss] = names.map((name) => query.get(name) ?? undefined)
  if (state === undefined) return undefined
  return { state, ...(code !== undefined && { code }), ...(error !== undefined && { error }), ...(iss !== undefined && { iss }) }
}

const begin = guarded({
  summary: 'Begin a login of the unit at a remote tool server',
  tag,
  answers: { 200: json('The address for your browser; finish the login with `id`', BegunLogin) },
  problems: ['not-found', 'conflict', 'upstream-failed', 'mcp-disabled'],
})

const finish = guarded({
  summary: 'Finish a login that you have begun; to wait for the browser, repeat it',
  tag,
  answers: { 200: json('Whether the browser has come back', LoginProgress) },
  problems: ['unsupported-media-type', 'invalid', 'not-found', 'conflict', 'upstream-failed', 'mcp-disabled'],
})

const end = guarded({
  summary: 'End the login of the unit at a remote tool server',
  tag,
  answers: { 200: json('The tokens are deleted', LogoutOutcome) },
  problems: ['not-found', 'conflict', 'mcp-disabled', 'audit-unwritable'],
})

const callback = unguarded({
  summary: 'Where a browser comes back to after a login',
  tag,
  answers: { 200: html('A page that says so'), 404: html('A page that says that no login waits for it') },
  problems: ['mcp-disabled', 'rate-limited', 'unavailable'],
})

const document = unguarded({
  summary: 'OAuth client metadata of the unit, if it has a public https address',
  tag,
  answers: { 200: json('The client', ClientDocument) },
  problems: ['not-found', 'mcp-disabled', 'rate-limited'],
})

export const loginRoutes = new Hono<Env>()
  .post('/v1/registry/mcp-servers/:name/login', begin, toolServersGuard, existing(Named), async (c) => {
    const { broker, call, ...who } = await admit(c, c.req.valid('param').name)
    const origin = originOf(c)
    const document = clientMetadataUrl(origin)
    const where = { url: `${origin}${loginCallbackPath}`, ...(document !== undefined && { clientMetadataUrl: document }) }
    return c.json(await broker.beginLogin({ ...who, ...where }, call))
  })
  .post(
    '/v1/registry/mcp-servers/:name/login/finish',
    finish,
    toolServersGuard,
    existing(Named),
    jsonBody(limits.decisionBody),
    body(Finish),
    async (c) => {
      const { broker, call, principal } = await admit(c, c.req.valid('param').name)
      return c.json(await broker.finishLogin({ principal, ...c.req.valid('json') }, call))
    },
  )
  .delete('/v1/registry/mcp-servers/:name/login', end, toolServersGuard, existing(Named), async (c) => {
    const { broker, call, ...who } = await admit(c, c.req.valid('param').name)
    return c.json(await broker.logout(who, call))
  })
  .get(loginCallbackPath, callback, toolServersGuard, async (c) => {
    const { unit, call } = c.var
    const { broker } = unit.peers
    if (broker === null) throw new ServiceError('mcp-disabled')
    const answer = readAnswer(new URL(c.req.url).searchParams)
    const isTaken = answer !== undefined && (await broker.answerLogin(answer, call)).taken
    return c.body(isTaken ? answered : unknown, isTaken ? 200 : 404, pageHeaders)
  })
  .get(clientMetadataPath, document, toolServersGuard, (c) => {
    const origin = publicAddress(c.var.unit.boot)
    const id = origin === undefined ? undefined : clientMetadataUrl(origin)
    if (id === undefined) throw new ServiceError('not-found', { detail: 'expected a unit with a public https address, got one without' })
    return c.json({ client_id: id, ...buildClientMetadata(`${origin}${loginCallbackPath}`) })
  })
