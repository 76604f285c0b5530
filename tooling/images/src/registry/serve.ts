// A registry of images on loopback, in memory: what tests and trials pull from and push to, where no other can be reached.
import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { mediaTypes } from '../oci/image.ts'
import { blobPath, type MadeLayout } from '../oci/layout.ts'
import { type Blob, digestOf, type Manifest, putManifest, type Shelf } from './shelf.ts'
import { takeUpload } from './upload.ts'

const refuse = (response: ServerResponse, status: number, code: string): void => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ errors: [{ code, message: code, detail: {} }] }))
}

const sendManifest = ({ method }: IncomingMessage, response: ServerResponse, manifest: Manifest | undefined): void => {
  if (manifest === undefined) return refuse(response, 404, 'MANIFEST_UNKNOWN')
  const { mediaType, bytes } = manifest
  response.writeHead(200, { 'content-type': mediaType, 'content-length': bytes.length, 'docker-content-digest': digestOf(bytes) })
  response.end(method === 'HEAD' ? undefined : bytes)
}

const sendBlob = async ({ method }: IncomingMessage, response: ServerResponse, blob: Blob | undefined): Promise<void> => {
  if (blob === undefined) return refuse(response, 404, 'BLOB_UNKNOWN')
  const size = 'bytes' in blob ? blob.bytes.length : blob.size
  response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': size })
  if (method === 'HEAD') response.end()
  else if ('bytes' in blob) response.end(blob.bytes)
  else await pipeline(createReadStream(blob.file), response)
}

const route = /^\/v2\/(?<name>.+)\/(?<kind>manifests|blobs)\/(?<reference>[^/]+)$/

const answer = async (shelf: Shelf, request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const { pathname } = new URL(request.url ?? '/', 'http://registry')
  if (pathname === '/v2/') return void response.writeHead(200).end('{}')
  if (await takeUpload(shelf, request, response)) return
  const { name = '', kind, reference = '' } = route.exec(pathname)?.groups ?? {}
  if (kind === undefined || (request.method !== 'GET' && request.method !== 'HEAD')) return refuse(response, 404, 'UNSUPPORTED')
  if (kind === 'blobs') return sendBlob(request, response, shelf.blobs.get(reference))
  sendManifest(request, response, shelf.manifests.get(reference) ?? shelf.manifests.get(`${name}:${reference}`))
}

const listen = async (server: Server): Promise<number> => {
  const listening = Promise.withResolvers<void>()
  server.once('error', listening.reject).listen(0, '127.0.0.1', listening.resolve)
  await listening.promise
  return (server.address() as AddressInfo).port
}

/** Puts every image of a layout on the shelf. */
const addLayout = async (shelf: Shelf, { directory, digest, images }: MadeLayout): Promise<string> => {
  const read = (one: string): Promise<Buffer> => readFile(join(directory, blobPath(one)))
  for (const image of images) {
    const bytes = await read(image.digest)
    putManifest(shelf, { mediaType: mediaTypes.manifest, bytes })
    const { layers } = JSON.parse(bytes.toString('utf8')) as { layers: { digest: string; size: number }[] }
    for (const layer of layers) shelf.blobs.set(layer.digest, { file: join(directory, blobPath(layer.digest)), size: layer.size })
    shelf.blobs.set(image.config, { bytes: await read(image.config) })
  }
  return putManifest(shelf, { mediaType: mediaTypes.index, bytes: await read(digest) })
}

export interface Registry {
  /** `127.0.0.1:PORT`, the first part of a name. */
  readonly address: string
  readonly shelf: Shelf
  /** Returns the digest to name it by. */
  add(layout: MadeLayout): Promise<string>
  close(): Promise<void>
}

export const serveRegistry = async (): Promise<Registry> => {
  const shelf: Shelf = { blobs: new Map(), manifests: new Map() }
  const server = createServer((request, response) => void answer(shelf, request, response).catch(() => response.destroy()))
  const address = `127.0.0.1:${await listen(server)}`
  return {
    address,
    shelf,
    add: (layout) => addLayout(shelf, layout),
    close: async () => {
      const closed = Promise.withResolvers<void>()
      server.close(() => closed.resolve())
      server.closeAllConnections()
      await closed.promise
    },
  }
}
