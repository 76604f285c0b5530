// The admin API as functions, grouped as its resources are.
import { type BackupOrder, limits, Ready, SealProof } from '@gatehouse/contracts'
import { previewOf } from './changes.ts'
import { channelsOf } from './channels.ts'
import { createConsoleClient } from './create-console-client.ts'
import { explainSystem } from './explain-system.ts'
import { removeFileOf } from './files.ts'
import { modelsOf } from './models.ts'
import { auditHead, explainOf } from './registry.ts'
import { type CallOptions, type ClientOptions, createExchange } from './request.ts'
import { reloadOf } from './servers.ts'

/** Every function rejects with `ServiceError`, or with the reason of the caller's own signal. */
export const createClient = (given: ClientOptions) => {
  const options = { explain: explainSystem, ...given }
  const exchange = createExchange(options)
  const base = createConsoleClient(options)
  return {
    ...base,
    audit: { ...base.audit, head: auditHead(exchange) },
    changes: { ...base.changes, preview: previewOf(exchange) },
    files: { ...base.files, remove: removeFileOf(exchange) },
    servers: { ...base.servers, reload: reloadOf(exchange) },
    explain: explainOf(exchange),
    models: modelsOf(exchange),
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
