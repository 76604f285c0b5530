// Files of agent groups: what lies there, what is fetched, given and removed.
import { FileList, type FilePlace, PutFile } from '@gatehouse/contracts'
import type { Page } from './lists.ts'
import type { CallOptions, Exchange } from './request.ts'

export interface OfPlace {
  readonly place?: FilePlace | undefined
}

/** Where a file is to be, or is, and for a put what it holds. */
export interface Located extends OfPlace {
  readonly path: string
}

/** From the first byte to the last, on a slow line. */
const transferTime = 600_000

const pathOf = (group: string, path: string): string =>
  `/v1/agent-groups/${encodeURIComponent(group)}/files/${path.split('/').map(encodeURIComponent).join('/')}`

export const filesOf = ({ send, sendForBytes }: Exchange) => ({
  /** `path` is that of a directory; default the place itself. */
  list: (group: string, wanted: OfPlace & Page & { readonly path?: string } = {}, options?: CallOptions) =>
    send({ method: 'GET', path: `/v1/agent-groups/${encodeURIComponent(group)}/files`, query: { ...wanted } }, FileList, options),
  /** The whole file; `conflict` where it did not come whole. */
  get: (group: string, { path, place }: Located, options?: CallOptions) =>
    sendForBytes({ method: 'GET', path: pathOf(group, path), query: { place }, timeout: transferTime }, options),
  put: (group: string, { path, place, bytes }: Located & { readonly bytes: Uint8Array<ArrayBuffer> }, options?: CallOptions) =>
    send({ method: 'PUT', path: pathOf(group, path), query: { place }, bytes, timeout: transferTime }, PutFile, options),
})

/** What has this name, and nothing that it leads to; `conflict` for a directory that holds something. */
export const removeFileOf =
  ({ sendForText }: Exchange) =>
  async (group: string, { path, place }: Located, options?: CallOptions): Promise<void> => {
    await sendForText({ method: 'DELETE', path: pathOf(group, path), query: { place } }, options)
  }
