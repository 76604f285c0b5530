// Requests to authorization servers: on the unit's guarded way out, one outlet each, never redirected, the answer read whole and bounded.
import { type BrokerBoot, checkServerUrl, jsonBounds, limits } from '@gatehouse/contracts'
import { parseJson } from '@gatehouse/kernel'
import { createOutlet, type Fetch, OutboundFailure, type Reach, type Resolve } from '@gatehouse/outbound'
import { UpstreamFailure } from '../upstream/base/failure.ts'

export interface AuthorizationFetchOptions {
  readonly boot: Pick<BrokerBoot, 'ownAddress' | 'outbound'>
  /** That of the tool server: whoever may not be led into the house by a url is not led there by metadata. */
  readonly reach: Reach
  readonly resolve?: Resolve | undefined
}

const bodyOf = (body: RequestInit['body']): string | null => {
  if (body instanceof URLSearchParams) return body.toString()
  return typeof body === 'string' ? body : null
}

const readWhole = async ({ body }: { readonly body: AsyncIterable<Uint8Array> | null }): Promise<string> => {
  const chunks: Uint8Array[] = []
  for await (const chunk of body ?? []) chunks.push(chunk)
  return new TextDecoder().decode(Buffer.concat(chunks))
}

/** Whoever reads it parses it: a text that is not within the bounds is empty. */
const bounded = (text: string): { text: string; value: unknown } => {
  try {
    return { text, value: parseJson(text, jsonBounds.authorizationAnswer) }
  } catch {
    return { text: '', value: undefined }
  }
}

const toAnswer = ({ status, headers }: Response, whole: string): Response => {
  const { text, value } = bounded(whole)
  const answer = new Response(null, { status, headers })
  const json = async (): Promise<unknown> => {
    if (value === undefined) throw new UpstreamFailure('authorization', 'an answer about the login is no JSON within the limits')
    return value
  }
  return Object.assign(answer, { json, text: async () => text })
}

const toAuthorizationFailure = (error: unknown): UpstreamFailure => {
  if (error instanceof UpstreamFailure) return error
  const why = error instanceof OutboundFailure ? `: ${error.message}` : ''
  return new UpstreamFailure('authorization', `the authorization server of the server cannot be reached${why}`)
}

/** Rejects only with `UpstreamFailure`. */
export const createAuthorizationFetch =
  ({ boot, reach, resolve }: AuthorizationFetchOptions): Fetch =>
  async (target, init = {}) => {
    const url = new URL(target)
    if (checkServerUrl(url.href) !== null)
      throw new UpstreamFailure('authorization', 'an address of the authorization server is refused: expected https')
    const { ownAddress, outbound: settings } = boot
    const outlet = createOutlet({
      url,
      ownAddress,
      settings,
      reach,
      most: limits.authorizationAnswer,
      headersTime: limits.connectTime,
      resolve,
    })
    const headers = new Headers(init.headers)
    headers.set('accept-encoding', 'identity')
    try {
      const signal = AbortSignal.timeout(limits.connectTime)
      const response = await outlet.fetch(url, { method: init.method ?? 'GET', headers, body: bodyOf(init.body), signal })
      return toAnswer(response, await readWhole(response))
    } catch (error) {
      throw toAuthorizationFailure(error)
    } finally {
      await outlet.close()
    }
  }
