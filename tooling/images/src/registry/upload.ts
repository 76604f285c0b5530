// The half of a registry that takes what is pushed to it.
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { putManifest, type Shelf } from './shelf.ts'

const uploads = /^\/v2\/(?<name>.+)\/blobs\/uploads\/(?<id>[^/]*)$/
const manifests = /^\/v2\/(?<name>.+)\/manifests\/(?<reference>[^/]+)$/

/** Bytes of uploads that are not finished. */
const begun = new Map<string, Buffer>()

const goOn = (response: ServerResponse, name: string, id: string): void => {
  response.writeHead(202, { location: `/v2/${name}/blobs/uploads/${id}`, range: '0-0' }).end()
}

const takeBlob = async (shelf: Shelf, request: IncomingMessage, response: ServerResponse): Promise<boolean> => {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://registry')
  const { name, id = '' } = uploads.exec(pathname)?.groups ?? {}
  if (name === undefined || !['POST', 'PATCH', 'PUT'].includes(request.method ?? '')) return false
  const bytes = Buffer.concat([begun.get(id) ?? Buffer.alloc(0), await buffer(request)])
  const digest = searchParams.get('digest')
  if (digest === null) {
    const key = id === '' ? randomUUID() : id
    begun.set(key, bytes)
    goOn(response, name, key)
  } else {
    begun.delete(id)
    shelf.blobs.set(digest, { bytes })
    response.writeHead(201, { location: `/v2/${name}/blobs/${digest}`, 'docker-content-digest': digest }).end()
  }
  return true
}

/** True where the request was one of these, and is answered. */
export const takeUpload = async (shelf: Shelf, request: IncomingMessage, response: ServerResponse): Promise<boolean> => {
  if (await takeBlob(shelf, request, response)) return true
  const { pathname } = new URL(request.url ?? '/', 'http://registry')
  const { name, reference } = manifests.exec(pathname)?.groups ?? {}
  if (name === undefined || request.method !== 'PUT') return false
  const manifest = { mediaType: request.headers['content-type'] ?? '', bytes: await buffer(request) }
  const digest = putManifest(shelf, manifest, `${name}:${reference}`)
  response.writeHead(201, { location: `/v2/${name}/manifests/${digest}`, 'docker-content-digest': digest }).end()
  return true
}
