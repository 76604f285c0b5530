// Creates the client of the admin API, with functions grouped by resource.
import { type BackupOrder, ChannelCheck, ChannelList, type ChannelName, limits, Ready, SealProof } from '@gatehouse/contracts'
import { createConsoleClient } from './create-console-client.ts'
import { type Explain, type Explanation, explainNoResponse } from './failure.ts'
import { removeFileApi } from './files.ts'
import { auditHeadApi, explainApi } from './registry.ts'
import { type CallOptions, type ClientOptions, createExchange, type Exchange } from './request.ts'
import { reloadApi } from './servers.ts'

/** Finds the system error code in the chain of causes. */
const findCode = (error: unknown): string => {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth += 1) {
    if ('code' in at && typeof at.code === 'string') return at.code
  }
  return ''
}

const tlsCodes = /^(CERT_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO_|ERR_TLS_CERT)/

/** Undefined if the code explains nothing more specific. */
const explainCode = (code: string, address: string): Explanation | undefined => {
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return { detail: `cannot resolve the host name of ${address} (${code})`, hint: 'check the name in SERVICE_API_URL or --addr' }
  }
  if (tlsCodes.test(code)) {
    return {
      detail: `the certificate of ${address} is not trusted (${code})`,
      hint: 'set SERVICE_CA_FILE to the certificate of the authority that signed it; renew the certificate if it has expired or is for another name',
    }
  }
  if (code === 'EPROTO' || code.startsWith('ERR_SSL')) {
    return { detail: `${address} does not speak TLS (${code})`, hint: 'a unit itself serves http: check the address' }
  }
  if (code.startsWith('HPE_') || code === 'ECONNRESET') {
    return {
      detail: `the connection to ${address} broke, or it does not speak HTTP (${code})`,
      hint: 'check the port, and whether it needs https',
    }
  }
  if (code === 'ETIMEDOUT' || code === 'EHOSTUNREACH' || code === 'ENETUNREACH') {
    return { detail: `cannot reach ${address} (${code})`, hint: 'check the network, or set HTTPS_PROXY' }
  }
  if (code.startsWith('ERR_PROXY')) {
    return {
      detail: `the proxy cannot reach ${address} (${code})`,
      hint: 'check HTTPS_PROXY, or add the host to NO_PROXY',
    }
  }
  return undefined
}

const explainSystemError: Explain = (error, address) => explainCode(findCode(error), address) ?? explainNoResponse(error, address)

const channelsApi = ({ send }: Exchange) => ({
  list: (options?: CallOptions) => send({ method: 'GET', path: '/v1/channels' }, ChannelList, options),
  check: (channel: ChannelName, options?: CallOptions) =>
    send(
      { method: 'POST', path: `/v1/channels/${encodeURIComponent(channel)}/check`, timeout: limits.probeTime + 5_000 },
      ChannelCheck,
      options,
    ),
})

/** Every function rejects with `ServiceError`, or with the reason of the caller's signal. */
export const createClient = (clientOptions: ClientOptions) => {
  const options = { explain: explainSystemError, ...clientOptions }
  const exchange = createExchange(options)
  const base = createConsoleClient(options)
  return {
    ...base,
    audit: { ...base.audit, head: auditHeadApi(exchange) },
    files: { ...base.files, remove: removeFileApi(exchange) },
    servers: { ...base.servers, reload: reloadApi(exchange) },
    explain: explainApi(exchange),
    channels: channelsApi(exchange),
    /** Also resolves if the unit is not ready. */
    ready: (call?: CallOptions) => exchange.send({ method: 'GET', path: '/readyz', accept: [503] }, Ready, call),
    /** Launches test sandboxes, which takes seconds. */
    proveSeal: (call?: CallOptions) =>
      exchange.send({ method: 'POST', path: '/v1/sandbox/probe', timeout: limits.sealProofTime + 5_000 }, SealProof, call),
    /** Returns an age stream. Reading it to the end verifies that it is complete. */
    backup: async (order: BackupOrder, call?: CallOptions) => {
      const { headers, body } = await exchange.sendForStream(
        { method: 'POST', path: '/v1/backup', body: order, timeout: limits.backupTime },
        call,
      )
      const name = /filename="([A-Za-z0-9._-]{1,100})"/.exec(headers.get('content-disposition') ?? '')?.[1]
      return { name: name ?? 'gatehouse.age', body }
    },
    /** Prometheus text exposition. */
    metrics: (call?: CallOptions) => exchange.sendForText({ method: 'GET', path: '/metrics' }, call),
  }
}

export type Client = ReturnType<typeof createClient>
