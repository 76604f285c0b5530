// Lists, downloads, uploads and removes files of agent groups.
import { FileList, type FilePlace, PutFile } from '@gatehouse/contracts'
import type { Page } from './lists.ts'
import type { CallOptions, Exchange } from './request.ts'

export interface PlaceQuery {
  readonly place?: FilePlace | undefined
}

/** The location of a file in an agent group. */
export interface FileLocation extends PlaceQuery {
  readonly path: string
}

/** Milliseconds for a whole transfer on a slow connection. */
const transferTime = 600_000

const pathOf = (group: string, path: string): string =>
  `/v1/agent-groups/${encodeURIComponent(group)}/files/${path.split('/').map(encodeURIComponent).join('/')}`

export const filesApi = ({ send, sendForBytes }: Exchange) => ({
  /** Lists the directory `path`. Default: the root of the place. */
  list: (group: string, query: PlaceQuery & Page & { readonly path?: string } = {}, options?: CallOptions) =>
    send({ method: 'GET', path: `/v1/agent-groups/${encodeURIComponent(group)}/files`, query: { ...query } }, FileList, options),
  /** Downloads a file. Rejects with `conflict` if the transfer was incomplete. */
  get: (group: string, { path, place }: FileLocation, options?: CallOptions) =>
    sendForBytes({ method: 'GET', path: pathOf(group, path), query: { place }, timeout: transferTime }, options),
  put: (group: string, { path, place, bytes }: FileLocation & { readonly bytes: Uint8Array<ArrayBuffer> }, options?: CallOptions) =>
    send({ method: 'PUT', path: pathOf(group, path), query: { place }, bytes, timeout: transferTime }, PutFile, options),
})

/** Removes a file or an empty directory without following links. Rejects with `conflict` if the directory is not empty. */
export const removeFileApi =
  ({ sendForText }: Exchange) =>
  async (group: string, { path, place }: FileLocation, options?: CallOptions): Promise<void> => {
    await sendForText({ method: 'DELETE', path: pathOf(group, path), query: { place } }, options)
  }
