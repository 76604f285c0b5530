// The admin API as functions, grouped as its resources are.
import { type BackupOrder, ChannelCheck, ChannelList, type ChannelName, limits, Ready, SealProof } from '@gatehouse/contracts'
import { createConsoleClient } from './create-console-client.ts'
import { type Explain, type Explanation, noAnswer } from './failure.ts'
import { removeFileOf } from './files.ts'
import { auditHead, explainOf } from './registry.ts'
import { type CallOptions, type ClientOptions, createExchange, type Exchange } from './request.ts'
import { reloadOf } from './servers.ts'

/** The code of what the system said, wherever in the chain of causes it stands. */
const codeOf = (error: unknown): string => {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth += 1) {
    if ('code' in at && typeof at.code === 'string') return at.code
  }
  return ''
}

const tlsCodes = /^(CERT_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO_|ERR_TLS_CERT)/

/** Undefined where the code says no more than that there was no answer. */
const explainCode = (code: string, address: string): Explanation | undefined => {
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return { detail: `expected a host at ${address}, its name is not known (${code})`, hint: 'check the name in SERVICE_API_URL or --addr' }
  }
  if (tlsCodes.test(code)) {
    return {
      detail: `expected a certificate for ${address} that can be trusted, got another (${code})`,
      hint: 'name the authority that signed it in SERVICE_CA_FILE; a certificate that is out of date or of another name must be renewed',
    }
  }
  if (code === 'EPROTO' || code.startsWith('ERR_SSL')) {
    return { detail: `expected TLS at ${address}, got something else (${code})`, hint: 'a unit itself speaks http: is this its address?' }
  }
  if (code.startsWith('HPE_') || code === 'ECONNRESET') {
    return { detail: `expected HTTP at ${address}, the connection broke (${code})`, hint: 'check the port, and whether it wants https' }
  }
  if (code === 'ETIMEDOUT' || code === 'EHOSTUNREACH' || code === 'ENETUNREACH') {
    return { detail: `expected a way to ${address}, found none (${code})`, hint: 'check the network, or reach it through HTTPS_PROXY' }
  }
  if (code.startsWith('ERR_PROXY')) {
    return {
      detail: `expected the proxy to lead to ${address}, it did not (${code})`,
      hint: 'check HTTPS_PROXY, or name the host in NO_PROXY',
    }
  }
  return undefined
}

const explainSystem: Explain = (error, address) => explainCode(codeOf(error), address) ?? noAnswer(error, address)

const channelsOf = ({ send }: Exchange) => ({
  list: (options?: CallOptions) => send({ method: 'GET', path: '/v1/channels' }, ChannelList, options),
  check: (channel: ChannelName, options?: CallOptions) =>
    send(
      { method: 'POST', path: `/v1/channels/${encodeURIComponent(channel)}/check`, timeout: limits.probeTime + 5_000 },
      ChannelCheck,
      options,
    ),
})

/** Every function rejects with `ServiceError`, or with the reason of the caller's own signal. */
export const createClient = (given: ClientOptions) => {
  const options = { explain: explainSystem, ...given }
  const exchange = createExchange(options)
  const base = createConsoleClient(options)
  return {
    ...base,
    audit: { ...base.audit, head: auditHead(exchange) },
    files: { ...base.files, remove: removeFileOf(exchange) },
    servers: { ...base.servers, reload: reloadOf(exchange) },
    explain: explainOf(exchange),
    channels: channelsOf(exchange),
    /** Also resolves for a unit that is not ready. */
    ready: (call?: CallOptions) => exchange.send({ method: 'GET', path: '/readyz', accept: [503] }, Ready, call),
    /** Launches trial sandboxes, which takes seconds. */
    proveSeal: (call?: CallOptions) =>
      exchange.send({ method: 'POST', path: '/v1/sandbox/probe', timeout: limits.sealProofTime + 5_000 }, SealProof, call),
    /** An age stream; read it to its end, which shows that it is whole. */
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
