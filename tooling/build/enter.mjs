// First file of the scripts that people type. Runs on any Node: says what a machine lacks instead of failing with a trace.
//   node tooling/build/enter.mjs --check               before an install: is everything there that the SQLCipher addon is built with?
//   node tooling/build/enter.mjs PROGRAM [ARGUMENTS]   runs a program of this checkout
import { accessSync, constants, existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { pathToFileURL } from 'node:url'

const onPath = (name) =>
  (process.env.PATH ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, name), constants.X_OK)
      return true
    } catch {
      return false
    }
  })

const needs = [
  ['g++', () => onPath('g++') || onPath('c++')],
  ['make', () => onPath('make')],
  ['python3', () => onPath('python3')],
  ['libssl-dev', () => ['/usr/include', '/usr/local/include'].some((folder) => existsSync(join(folder, 'openssl/ssl.h')))],
]

const complain = (missing) => {
  process.stderr.write(
    `\nGatehouse builds SQLCipher at its first start. Missing here: ${missing.join(', ')}.\n\n  sudo apt-get install -y ${missing.join(' ')}\n\n`,
  )
  process.exit(1)
}

const missing = process.platform === 'linux' ? needs.filter(([, there]) => !there()).map(([name]) => name) : []
const addon = join(
  import.meta.dirname ?? new URL('.', import.meta.url).pathname,
  '../../packages/store/node_modules/@journeyapps/sqlcipher/build/Release/node_sqlite3.node',
)

const [, , first] = process.argv
if (first === '--check') {
  if (missing.length > 0) complain(missing)
} else if (!existsSync(addon)) {
  if (missing.length > 0) complain(missing)
  process.stderr.write('\nThe dependencies are not installed.\n\n  npx pnpm@12 install\n\n')
  process.exit(1)
} else {
  process.argv.splice(1, 2, first)
  await import(pathToFileURL(first).href)
}
