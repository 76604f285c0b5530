// `pnpm release:build [--out FOLDER] [--sign KEY.pem]`: makes the tarball for a bare host out of the last build.
import { readFile } from 'node:fs/promises'
import { arch } from 'node:process'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import manifest from '../../../apps/supervisor/package.json' with { type: 'json' }
import { buildRelease } from './build.ts'

const { values } = parseArgs({ options: { out: { type: 'string', default: 'release' }, sign: { type: 'string' } } })
const checkout = join(import.meta.dirname, '../../..')
if (arch !== 'x64' && arch !== 'arm64') throw new Error(`expected x64 or arm64, got ${arch}`)
const out = resolve(values.out)
const made = await buildRelease({
  checkout,
  dist: join(checkout, 'dist'),
  node: process.execPath,
  out,
  version: manifest.version,
  architecture: arch,
  signingKey: values.sign === undefined ? null : await readFile(values.sign, 'utf8'),
})
for (const name of made) process.stdout.write(`${join(out, name)}\n`)
if (values.sign === undefined) process.stderr.write('SHA256SUMS is not signed: install.sh takes nothing that is not. Give --sign KEY.pem\n')
