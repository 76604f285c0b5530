// One release for the tests of a file: of the last build, signed by a key of its own, packed without compression.
import { generateKeyPairSync } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildRelease } from '../src/index.ts'

export const checkout = join(import.meta.dirname, '../../..')
export const architecture = process.arch === 'arm64' ? 'arm64' : 'x64'
export const version = '9.8.7'
export const tarballName = `gatehouse-v${version}-linux-${architecture}.tar.gz`

export interface Made {
  /** Folder of the release. */
  readonly folder: string
  /** Public half of the key that signed. */
  readonly key: string
  readonly privateKey: string
}

export const makeKey = (): { readonly privateKey: string; readonly publicKey: string } =>
  generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  })

export const sources = { checkout, dist: join(checkout, 'dist'), node: process.execPath }

export const makeRelease = async (): Promise<Made> => {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-release-'))
  const { privateKey, publicKey } = makeKey()
  await buildRelease({ ...sources, out: folder, version, architecture, signingKey: privateKey, level: 0 })
  const key = join(folder, 'release.pub')
  await writeFile(key, publicKey)
  return { folder, key, privateKey }
}

export const removeRelease = ({ folder }: Made): Promise<void> => rm(folder, { recursive: true, force: true })
