// Downloads one tarball and verifies its integrity before its content is read.
import { createHash } from 'node:crypto'
import { limits } from '@gatehouse/contracts'
import pacote from 'pacote'
import type { NpmOptions } from './registry.ts'
import { toRefused, TreeRefused } from './task.ts'

export interface TarballRequest {
  readonly name: string
  readonly version: string
  readonly tarball: string
  /** From the registry or a lock, with any algorithm that npm supports. */
  readonly integrity: string
}

/** The SHA-512 integrity, whatever algorithm the registry uses. */
export const computeIntegrity = (tarball: Buffer): string => `sha512-${createHash('sha512').update(tarball).digest('base64')}`

const collect = async (stream: NodeJS.ReadableStream): Promise<Buffer> => {
  const chunks: Buffer[] = []
  let bytes = 0
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  stream.on('error', reject)
  stream.on('end', () => resolve())
  stream.on('data', (chunk: Buffer) => {
    bytes += chunk.byteLength
    if (bytes <= limits.treeTarball) chunks.push(chunk)
    else reject(new TreeRefused('too-large', `the tarball is larger than ${limits.treeTarball} bytes`))
  })
  await promise
  return Buffer.concat(chunks)
}

export const download = async ({ name, version, tarball, integrity }: TarballRequest, options: NpmOptions): Promise<Buffer> => {
  try {
    // The caller has checked that the URL belongs to the registry.
    return await pacote.tarball.stream(`${name}@${tarball}`, collect, {
      ...options,
      cache: undefined,
      allowRemote: 'all',
      replaceRegistryHost: 'never',
      integrity,
    })
  } catch (error) {
    throw toRefused(error, `${name}@${version}`)
  }
}
