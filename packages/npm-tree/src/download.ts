// Fetches one tarball. Nothing of it is looked at before it is what it was said to be.
import { createHash } from 'node:crypto'
import { limits } from '@gatehouse/contracts'
import pacote from 'pacote'
import type { NpmOptions } from './registry.ts'
import { toRefused, TreeRefused } from './task.ts'

export interface Wanted {
  readonly name: string
  readonly version: string
  readonly tarball: string
  /** Of the registry or of a lock, by any algorithm that npm knows. */
  readonly integrity: string
}

/** Of our own, whatever the registry's is made by. */
export const integrityOf = (tarball: Buffer): string => `sha512-${createHash('sha512').update(tarball).digest('base64')}`

const collect = async (stream: NodeJS.ReadableStream): Promise<Buffer> => {
  const chunks: Buffer[] = []
  let bytes = 0
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  stream.on('error', reject)
  stream.on('end', () => resolve())
  stream.on('data', (chunk: Buffer) => {
    bytes += chunk.byteLength
    if (bytes <= limits.treeTarball) chunks.push(chunk)
    else reject(new TreeRefused('too-large', `expected a tarball of at most ${limits.treeTarball} bytes`))
  })
  await promise
  return Buffer.concat(chunks)
}

export const download = async ({ name, version, tarball, integrity }: Wanted, options: NpmOptions): Promise<Buffer> => {
  try {
    // The address is the registry's own: it was compared before it came here.
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
